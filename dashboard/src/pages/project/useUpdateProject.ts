import { useMutation, useQueryClient } from "@tanstack/react-query";
import { call, type ResponseBody, type ApiError, type RequestOptions } from "~/api/client";
import { queryKey, invalidate, useGet } from "~/api/hooks";
import type { Project } from "~/api/types";
import { showError } from "~/parts/toast";
import { useProject } from "~/shell/project";

type Body = NonNullable<RequestOptions<"/api/projects/{id}", "patch">["body"]>;
export type ProjectChange = Partial<Body>;
type Detail = ResponseBody<"/api/projects/{id}", "get">;
interface Snapshot {
  list: Project[] | undefined;
  detail: Detail | undefined;
}
/** Fields updated on the page before the server confirms. Never the token. */
const OPTIMISTIC_FIELDS = [
  "name",
  "description",
  "visibility",
  "status",
  "aiTier",
  "deepEnrichEnabled",
  "autoApproveThreshold",
  "briefingsEnabled",
  "showUnreviewed",
  "eventRetentionDays",
  "sessionRetentionDays",
  "chatRetentionDays",
] as const;

export function useProjectDetail() {
  const { id } = useProject();
  return useGet("/api/projects/{id}", { path: { id } });
}

/** Updates project fields optimistically; reverts and shows the error if the server refuses. */
export function useUpdateProject(options: { quiet?: boolean } = {}) {
  const { id } = useProject();
  const cache = useQueryClient();
  const listKey = queryKey("/api/projects");
  const detailKey = queryKey("/api/projects/{id}", { path: { id } });
  const show = (fields: object) => {
    cache.setQueryData<Project[]>(listKey, (all) =>
      all?.map((project) => (project.id === id ? { ...project, ...fields } : project)),
    );
    cache.setQueryData<Detail>(detailKey, (detail) => detail && { ...detail, ...fields });
  };
  return useMutation<ResponseBody<"/api/projects/{id}", "patch">, ApiError, ProjectChange, Snapshot>({
    mutationFn: (change) => call("patch", "/api/projects/{id}", { path: { id }, body: change }),
    onMutate: (change) => {
      const before = {
        list: cache.getQueryData<Project[]>(listKey),
        detail: cache.getQueryData<Detail>(detailKey),
      };
      show(
        Object.fromEntries(
          OPTIMISTIC_FIELDS.filter((name) => name in change).map((name) => [name, change[name]]),
        ),
      );
      return before;
    },
    onSuccess: (updated) => {
      show(updated);
      void invalidate(cache, (path) => path.startsWith("/api/v2/overview"));
    },
    onError: (error, _, before) => {
      cache.setQueryData(listKey, before?.list);
      cache.setQueryData(detailKey, before?.detail);
      if (!options.quiet) showError(error);
    },
  });
}
