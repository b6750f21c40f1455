import { useEffect } from "react";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { refresh } from "./hooks";

/** Something the reader may see has changed. */
export interface Notice {
  type: "ready" | "changed";
  what?: string;
  projectId?: string | null;
}

const MEMORY = ["/api/v2/items", "/api/v2/search", "/api/v2/brain", "/api/v2/overview", "/api/v2/map"];

/** Which answers a notice makes old, by how their addresses begin. */
const OLD: Record<string, string[]> = {
  items: MEMORY,
  memory: MEMORY,
  contexts: ["/api/contexts", "/api/v2/brain", "/api/v2/map", "/api/v2/overview"],
  sessions: ["/api/v2/sessions", "/api/v2/overview"],
  scans: ["/api/v2/scans"],
  chats: ["/api/v2/chat-sessions"],
  hygiene: ["/api/v2/hygiene"],
  webhooks: ["/api/webhooks"],
  billing: ["/api/billing", "/api/v2/overview", "/api/auth/me"],
  team: ["/api/team", "/api/auth/me", "/api/projects"],
  keys: ["/api/keys"],
  projects: ["/api/projects", "/api/v2/overview"],
};

/**
 * Notices come in swarms while a session is enriched. What they mean is done once for all of them, soon after the first
 * and then with a pause between, so that an open page never uses its reader's rate limit up.
 */
const GATHER_MS = 200;
const PAUSE_MS = 2000;
const heard = new EventTarget();

/** Hear of changes while a page is open; such as the very first event of a project. */
export function useNotice(hear: (notice: Notice) => void) {
  useEffect(() => {
    const listen = (event: Event) => hear((event as CustomEvent<Notice>).detail);
    heard.addEventListener("notice", listen);
    return () => heard.removeEventListener("notice", listen);
  }, [hear]);
}

function listen(cache: QueryClient): () => void {
  const stream = new EventSource("/api/live");
  let old = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasOpen = false;
  let renewedAt = 0;
  const renew = () => {
    timer = undefined;
    renewedAt = Date.now();
    const prefixes = [...old];
    old = new Set();
    void refresh(cache, (address) => prefixes.some((prefix) => address.startsWith(prefix)));
  };
  stream.onmessage = (event: MessageEvent<string>) => {
    const notice = JSON.parse(event.data) as Notice;
    if (notice.type === "ready") {
      // After a break we do not know what we have missed.
      if (wasOpen) void cache.invalidateQueries();
      wasOpen = true;
      return;
    }
    for (const prefix of OLD[notice.what ?? ""] ?? []) old.add(prefix);
    timer ??= setTimeout(renew, Math.max(GATHER_MS, renewedAt + PAUSE_MS - Date.now()));
    heard.dispatchEvent(new CustomEvent("notice", { detail: notice }));
  };
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}

/** One stream for the whole page: what changes on the server changes here. */
export function useLive(signedIn: boolean) {
  const cache = useQueryClient();
  useEffect(() => (signedIn ? listen(cache) : undefined), [cache, signedIn]);
}
