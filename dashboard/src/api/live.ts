import { useEffect } from "react";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { invalidate } from "./hooks";

/** A live notice: data the user can see has changed. */
export interface Notice {
  type: "ready" | "changed";
  resource?: string;
  projectId?: string | null;
}

const MEMORY = ["/api/v2/items", "/api/v2/search", "/api/v2/brain", "/api/v2/overview", "/api/v2/map"];

/** Path prefixes to refetch for each resource named in a notice. */
const INVALIDATED_PREFIXES: Record<string, string[]> = {
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
 * Enriching a session sends many notices at once. They are batched, with a pause between refetches: an open page must
 * never use up its user's rate limit.
 */
const BATCH_MS = 200;
const PAUSE_MS = 2000;
const notices = new EventTarget();

/** Calls a handler for every live notice while the component is mounted. */
export function useLiveNotice(handler: (notice: Notice) => void) {
  useEffect(() => {
    const listener = (event: Event) => handler((event as CustomEvent<Notice>).detail);
    notices.addEventListener("notice", listener);
    return () => notices.removeEventListener("notice", listener);
  }, [handler]);
}

function connect(cache: QueryClient): () => void {
  const stream = new EventSource("/api/live");
  let stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let wasOpen = false;
  let refetchedAt = 0;
  const refetch = () => {
    timer = undefined;
    refetchedAt = Date.now();
    const prefixes = [...stale];
    stale = new Set();
    void invalidate(cache, (path) => prefixes.some((prefix) => path.startsWith(prefix)));
  };
  stream.onmessage = (event: MessageEvent<string>) => {
    const notice = JSON.parse(event.data) as Notice;
    if (notice.type === "ready") {
      // Notices sent while disconnected are lost, so refetch everything.
      if (wasOpen) void cache.invalidateQueries();
      wasOpen = true;
      return;
    }
    for (const prefix of INVALIDATED_PREFIXES[notice.resource ?? ""] ?? []) stale.add(prefix);
    timer ??= setTimeout(refetch, Math.max(BATCH_MS, refetchedAt + PAUSE_MS - Date.now()));
    notices.dispatchEvent(new CustomEvent("notice", { detail: notice }));
  };
  return () => {
    clearTimeout(timer);
    stream.close();
  };
}

/** Refetches data as it changes on the server, through one event stream per page. */
export function useLive(signedIn: boolean) {
  const cache = useQueryClient();
  useEffect(() => (signedIn ? connect(cache) : undefined), [cache, signedIn]);
}
