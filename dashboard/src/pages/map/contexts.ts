import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call, request, type ApiError } from "~/api/client";
import { queryKey, invalidate, useGet } from "~/api/hooks";
import type { Context } from "~/api/types";
import { pluralize, formatNumber } from "~/parts/format";
import { showSuccess, showError, showUndo } from "~/parts/toast";
import { canManageTeam, useMe } from "~/shell/login";
import { useCanWrite, useProject } from "~/shell/project";
import type { MapContext } from "./contextTree";

const ONE = "/api/contexts/{id}";
const MAP = "/api/v2/map";

export const mapKey = (projectId: string) => queryKey(MAP, { query: { projectId } });
export const useMap = (projectId: string) => useGet(MAP, { query: { projectId } });

/** A context and the ETag of the version that was loaded. */
export interface LoadedContext {
  context: Context;
  etag: string;
}

const oneKey = (id: string) => [...queryKey(ONE, { path: { id } }), "read"];

export async function readContext(id: string, signal?: AbortSignal): Promise<LoadedContext> {
  const { data, etag } = await request("get", ONE, { path: { id }, signal });
  return { context: data, etag: etag ?? "" };
}

export const useContextDetail = (id: string) =>
  useQuery<LoadedContext, ApiError>({
    queryKey: oneKey(id),
    queryFn: ({ signal }) => readContext(id, signal),
  });

export const cacheContext = (cache: QueryClient, read: LoadedContext) =>
  cache.setQueryData<LoadedContext>(oneKey(read.context.id), read);

export function updateMapContext(
  cache: QueryClient,
  projectId: string,
  id: string,
  change: Partial<MapContext>,
) {
  cache.setQueryData<MapContext[]>(mapKey(projectId), (contexts) =>
    contexts?.map((context) => (context.id === id ? { ...context, ...change } : context)),
  );
}

export const refreshContexts = (cache: QueryClient) =>
  invalidate(cache, (address) => /^\/api\/(contexts|v2\/(map|brain|overview))/.test(address));

/** Contexts shared with the whole team can only be changed by team owners and admins. */
export function useCanChange(): (context: Pick<MapContext, "projectId">) => boolean {
  const canWrite = useCanWrite();
  const me = useMe();
  return (context) => (context.projectId === null ? canManageTeam(me) : canWrite);
}

const latestVersion = async (id: string) => {
  const [last] = await call("get", "/api/contexts/{id}/revisions", { path: { id }, query: { limit: 1 } });
  return last?.version ?? 1;
};

type Action = "approve" | "deprecate";
const RESULTING_STATE = { approve: "approved", deprecate: "deprecated" } as const;
const REVERSE_ACTION = { approved: "approve", deprecated: "deprecate" } as const;

/** Approve, deprecate, compact and revert, each with undo where possible. */
export function useContextActions(context: MapContext) {
  const cache = useQueryClient();
  const projectId = useProject().id;
  const { id, name, state } = context;
  const path = { id };
  const decide = useCallback(
    async (action: Action, before: MapContext["state"], undoing = false) => {
      const setCachedState = (now: MapContext["state"]) => {
        updateMapContext(cache, projectId, id, { state: now });
        cache.setQueryData<LoadedContext>(
          oneKey(id),
          (read) => read && { ...read, context: { ...read.context, state: now } },
        );
      };
      // Only the text that was on the screen is approved: events may have changed it since.
      const read = cache.getQueryData<LoadedContext>(oneKey(id));
      const ifMatch = action === "approve" && !undoing ? read?.etag : undefined;
      await cache.cancelQueries({ queryKey: mapKey(projectId) });
      setCachedState(RESULTING_STATE[action]);
      try {
        await call("post", "/api/contexts/{id}/approve", { path: { id }, body: { action }, ifMatch });
        if (undoing) return;
        const done = `${action === "approve" ? "Approved" : "Deprecated"} “${name}”.`;
        // The API can't set a context back to draft, so there is nothing to undo.
        if (before === "draft") showSuccess(done);
        else showUndo(done, () => void decide(REVERSE_ACTION[before], RESULTING_STATE[action], true));
      } catch (error) {
        setCachedState(before);
        showError(error as Error);
      } finally {
        void refreshContexts(cache);
      }
    },
    [cache, projectId, id, name],
  );
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (error) {
      showError(error as Error);
    } finally {
      void refreshContexts(cache);
    }
  };
  const undoTo = (version: number) =>
    attempt(async () => void (await call("post", "/api/contexts/{id}/revert", { path, body: { version } })));
  return {
    decide: (action: Action) => decide(action, state),
    compact: () =>
      attempt(async () => {
        const before = await latestVersion(id);
        const done = await call("post", "/api/contexts/{id}/compact", { path });
        const saved =
          done.tokensSaved > 0 ? `${pluralize(done.tokensSaved, "token")} saved` : "no tokens saved";
        const entries = `${pluralize(done.entriesBefore, "entry").replace("entrys", "entries")} became ${formatNumber(done.entriesAfter)}`;
        showUndo(`Compacted “${name}”: ${entries}, ${saved}.`, () => void undoTo(before));
      }),
    revert: (version: number) =>
      attempt(async () => {
        const before = await latestVersion(id);
        await call("post", "/api/contexts/{id}/revert", { path, body: { version } });
        showUndo(`Reverted “${name}” to version ${version}.`, () => void undoTo(before));
      }),
  };
}

/** Counts journal entries the way the server does: `##` headings outside fenced code. */
export function countEntries(content: string): number {
  let fence = "";
  let found = 0;
  for (const line of content.split("\n")) {
    const bare = line.trim();
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence) {
      if (bare.length >= fence.length && bare === fence[0]!.repeat(bare.length)) fence = "";
    } else if (mark) fence = mark;
    else if (line.startsWith("## ")) found += 1;
  }
  return found;
}
