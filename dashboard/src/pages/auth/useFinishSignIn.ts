import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useLocation } from "wouter";
import { call } from "~/api/client";
import { queryKey } from "~/api/hooks";
import { safeNext } from "~/shell/login";

/** Paths the dashboard renders; any other path is loaded from the server. */
const DASHBOARD_PATH = /^\/(?:(?:welcome|team|keys|billing|models|audit|account)?(?:[?#]|$)|p\/)/;

/** Home, or the setup guide until an agent has sent an event. */
async function startPage(cache: QueryClient): Promise<string> {
  try {
    const overview = await call("get", "/api/v2/overview");
    cache.setQueryData(queryKey("/api/v2/overview"), overview);
    return overview.projects.some((project) => project.lastEventAt !== null) ? "/" : "/welcome";
  } catch {
    return "/";
  }
}

/** Leaves the sign-in page: to the page requested before, or to the start page. */
export function useFinishSignIn() {
  const cache = useQueryClient();
  const [, go] = useLocation();
  return useCallback(
    async (search: string) => {
      cache.clear();
      const next = safeNext(search);
      const to = next === "/" ? await startPage(cache) : next;
      if (DASHBOARD_PATH.test(to)) go(to, { replace: true });
      else window.location.assign(to);
    },
    [cache, go],
  );
}
