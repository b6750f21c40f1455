import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type Answer, type ApiError, type Given } from "~/api/client";
import { keyOf, refresh, useGet } from "~/api/hooks";
import type { Project } from "~/api/types";
import { showProblem } from "~/parts/toast";
import { useProject } from "~/shell/project";

type Body = NonNullable<Given<"/api/projects/{id}", "patch">["body"]>;
export type Change = Partial<Body>;
type Detail = Answer<"/api/projects/{id}", "get">;
interface Before {
  list: Project[] | undefined;
  detail: Detail | undefined;
}
/** What the page shows of a change before the server has said yes. The token is never among it. */
const SHOWN = [
  "name",
  "description",
  "visibility",
  "status",
  "aiTier",
  "deepEnrichEnabled",
  "autoApproveThreshold",
] as const;

export function useDetail() {
  const { id } = useProject();
  return useGet("/api/projects/{id}", { path: { id } });
}

/** Change fields of the project: shown at once, taken back with the server's words if it refuses. */
export function useChange(options: { quiet?: boolean } = {}) {
  const { id } = useProject();
  const cache = useQueryClient();
  const listKey = keyOf("/api/projects");
  const detailKey = keyOf("/api/projects/{id}", { path: { id } });
  const show = (fields: object) => {
    cache.setQueryData<Project[]>(listKey, (all) =>
      all?.map((one) => (one.id === id ? { ...one, ...fields } : one)),
    );
    cache.setQueryData<Detail>(detailKey, (one) => one && { ...one, ...fields });
  };
  return useMutation<Answer<"/api/projects/{id}", "patch">, ApiError, Change, Before>({
    mutationFn: (change) => call("patch", "/api/projects/{id}", { path: { id }, body: change }),
    onMutate: (change) => {
      const before = {
        list: cache.getQueryData<Project[]>(listKey),
        detail: cache.getQueryData<Detail>(detailKey),
      };
      show(Object.fromEntries(SHOWN.filter((name) => name in change).map((name) => [name, change[name]])));
      return before;
    },
    onSuccess: (now) => {
      show(now);
      void refresh(cache, (address) => address.startsWith("/api/v2/overview"));
    },
    onError: (problem, _, before) => {
      cache.setQueryData(listKey, before?.list);
      cache.setQueryData(detailKey, before?.detail);
      if (!options.quiet) showProblem(problem);
    },
  });
}
