import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLocation } from "wouter";
import { call } from "~/api/client";
import { keyOf } from "~/api/hooks";
import { safeNext } from "~/shell/login";

/** The addresses that this page shows itself; all others are pages of the server. */
const OURS = /^\/(?:(?:welcome|team|keys|billing|audit|account)?(?:[?#]|$)|p\/)/;

/** Home; or the tour, as long as no agent has told anything. */
async function firstPlace(cache: QueryClient): Promise<string> {
  try {
    const overview = await call("get", "/api/v2/overview");
    cache.setQueryData(keyOf("/api/v2/overview"), overview);
    return overview.projects.some((project) => project.lastEventAt !== null) ? "/" : "/welcome";
  } catch {
    return "/";
  }
}

/** Go in, as whoever has just signed in: to the page that was asked for, or where to begin. */
export function useEnter() {
  const cache = useQueryClient();
  const [, go] = useLocation();
  return useCallback(
    async (search: string) => {
      cache.clear();
      const next = safeNext(search);
      const to = next === "/" ? await firstPlace(cache) : next;
      if (OURS.test(to)) go(to, { replace: true });
      else window.location.assign(to);
    },
    [cache, go],
  );
}
