import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "~/api/stream";
import type { Source } from "~/api/types";
import { renew } from "./chats";

/** A question of this window and its answer, from the moment it is asked until the conversation holds it. */
export interface Turn {
  question: string;
  text: string;
  state: "asking" | "answering" | "done" | "stopped" | "failed";
  sources: Source[];
  problem: Error | null;
  /** How many messages the conversation had before. */
  before: number;
}

/** The key of a conversation that has no id yet. */
export const NEW = "";
export const runs = (turn: Turn | undefined) => turn?.state === "asking" || turn?.state === "answering";

interface Running {
  key: string;
  abort: AbortController;
  said: string;
  frame: number;
}

/**
 * The answers that are being made, by conversation: one can be read while another is on its way. Leaving the page ends
 * them all, and with them the work on the server. ``began`` hears of the id of a new conversation.
 */
export function useTurns(projectId: string, began: (chatId: string) => void) {
  const cache = useQueryClient();
  const [turns, setTurns] = useState<Record<string, Turn>>({});
  const running = useRef(new Map<string, Running>());

  useEffect(() => {
    const open = running.current;
    return () => {
      for (const one of open.values()) one.abort.abort();
    };
  }, [projectId]);

  const change = useCallback((key: string, with_: Partial<Turn>) => {
    setTurns((known) => (known[key] ? { ...known, [key]: { ...known[key], ...with_ } } : known));
  }, []);
  const drop = useCallback((key: string) => {
    setTurns((known) => Object.fromEntries(Object.entries(known).filter(([one]) => one !== key)));
  }, []);

  const begin = useCallback(
    async (chatId: string | null, question: string, before: number) => {
      const own: Running = { key: chatId ?? NEW, abort: new AbortController(), said: "", frame: 0 };
      running.current.set(own.key, own);
      const turn: Turn = { question, text: "", state: "asking", sources: [], problem: null, before };
      setTurns((known) => ({ ...known, [own.key]: turn }));
      const chat = (id: string) => {
        if (own.key === id) return;
        const old = own.key;
        running.current.delete(old);
        running.current.set(id, own);
        own.key = id;
        setTurns(({ [old]: moved, ...others }) => (moved ? { ...others, [id]: moved } : others));
        began(id);
      };
      // Words come faster than anybody reads: they are shown once a frame.
      const show = () => {
        own.frame = 0;
        change(own.key, { text: own.said, state: "answering" });
      };
      const token = (text: string) => {
        own.said += text;
        if (!own.frame) own.frame = requestAnimationFrame(show);
      };
      const asked = { projectId, question, chatSessionId: chatId };
      let end: Partial<Turn>;
      try {
        const done = await ask(asked, { chat, token }, own.abort.signal);
        const problem = done.error ? new Error(done.error) : null;
        const text = done.answer ?? own.said;
        end = { text, sources: done.sources, problem, state: problem ? "failed" : "done" };
      } catch (problem) {
        const stopped = own.abort.signal.aborted;
        end = {
          text: own.said,
          state: stopped ? "stopped" : "failed",
          problem: stopped ? null : (problem as Error),
        };
      }
      cancelAnimationFrame(own.frame);
      if (running.current.get(own.key) === own) running.current.delete(own.key);
      change(own.key, end);
      await renew(cache);
    },
    [projectId, began, cache, change],
  );

  const stop = useCallback((key: string) => running.current.get(key)?.abort.abort(), []);
  return { turns, begin, stop, drop };
}
