import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { ask } from "~/api/stream";
import type { Source } from "~/api/types";
import { refreshChats } from "./chats";

/** A question asked in this window and its answer, until the server has stored both. */
export interface Turn {
  question: string;
  text: string;
  state: "asking" | "answering" | "done" | "stopped" | "failed";
  sources: Source[];
  error: Error | null;
  /** Number of messages in the conversation before this turn. */
  messagesBefore: number;
}

/** Key of a conversation that has no id yet. */
export const NEW_CHAT = "";
export const isRunning = (turn: Turn | undefined) => turn?.state === "asking" || turn?.state === "answering";

interface ActiveRequest {
  key: string;
  abort: AbortController;
  received: string;
  frame: number;
}

/**
 * Turns in progress, by conversation, so one answer can stream while another conversation is open. Leaving the page
 * aborts all requests, which also stops the server. `onChatCreated` receives the id of a new conversation.
 */
export function useTurns(projectId: string, onChatCreated: (chatId: string) => void) {
  const cache = useQueryClient();
  const [turns, setTurns] = useState<Record<string, Turn>>({});
  const running = useRef(new Map<string, ActiveRequest>());

  useEffect(() => {
    const active = running.current;
    return () => {
      for (const request of active.values()) request.abort.abort();
    };
  }, [projectId]);

  const update = useCallback((key: string, changes: Partial<Turn>) => {
    setTurns((known) => (known[key] ? { ...known, [key]: { ...known[key], ...changes } } : known));
  }, []);
  const drop = useCallback((key: string) => {
    setTurns((known) => Object.fromEntries(Object.entries(known).filter(([other]) => other !== key)));
  }, []);

  const start = useCallback(
    async (chatId: string | null, question: string, messagesBefore: number) => {
      const request: ActiveRequest = {
        key: chatId ?? NEW_CHAT,
        abort: new AbortController(),
        received: "",
        frame: 0,
      };
      running.current.set(request.key, request);
      const turn: Turn = { question, text: "", state: "asking", sources: [], error: null, messagesBefore };
      setTurns((known) => ({ ...known, [request.key]: turn }));
      const onChat = (id: string) => {
        if (request.key === id) return;
        const old = request.key;
        running.current.delete(old);
        running.current.set(id, request);
        request.key = id;
        setTurns(({ [old]: moved, ...others }) => (moved ? { ...others, [id]: moved } : others));
        onChatCreated(id);
      };
      // Tokens arrive faster than the screen refreshes, so render once per frame.
      const flush = () => {
        request.frame = 0;
        update(request.key, { text: request.received, state: "answering" });
      };
      const onToken = (text: string) => {
        request.received += text;
        if (!request.frame) request.frame = requestAnimationFrame(flush);
      };
      const body = { projectId, question, chatSessionId: chatId };
      let outcome: Partial<Turn>;
      try {
        const done = await ask(body, { onChat, onToken }, request.abort.signal);
        const error = done.error ? new Error(done.error) : null;
        const text = done.answer ?? request.received;
        outcome = { text, sources: done.sources, error, state: error ? "failed" : "done" };
      } catch (error) {
        const stopped = request.abort.signal.aborted;
        outcome = {
          text: request.received,
          state: stopped ? "stopped" : "failed",
          error: stopped ? null : (error as Error),
        };
      }
      cancelAnimationFrame(request.frame);
      if (running.current.get(request.key) === request) running.current.delete(request.key);
      update(request.key, outcome);
      await refreshChats(cache);
    },
    [projectId, onChatCreated, cache, update],
  );

  const stop = useCallback((key: string) => running.current.get(key)?.abort.abort(), []);
  return { turns, start, stop, drop };
}
