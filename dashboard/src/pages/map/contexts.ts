import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call, tell, type ApiError } from "~/api/client";
import { keyOf, refresh, useGet } from "~/api/hooks";
import type { Context } from "~/api/types";
import { amount, count } from "~/parts/Time";
import { showDone, showProblem, showUndo } from "~/parts/toast";
import { manages, useMe } from "~/shell/login";
import { useMayWrite, useProject } from "~/shell/project";
import type { Place } from "./places";

const ONE = "/api/contexts/{id}";
const MAP = "/api/v2/map";

export const mapKey = (projectId: string) => keyOf(MAP, { query: { projectId } });
export const useMap = (projectId: string) => useGet(MAP, { query: { projectId } });

/** A context as it was read, and the mark by which the server knows that reading. */
export interface Read {
  context: Context;
  etag: string;
}

const oneKey = (id: string) => [...keyOf(ONE, { path: { id } }), "read"];

export async function readContext(id: string, signal?: AbortSignal): Promise<Read> {
  const { data, etag } = await tell("get", ONE, { path: { id }, signal });
  return { context: data, etag: etag ?? "" };
}

export const useRead = (id: string) =>
  useQuery<Read, ApiError>({ queryKey: oneKey(id), queryFn: ({ signal }) => readContext(id, signal) });

export const keepRead = (cache: QueryClient, read: Read) =>
  cache.setQueryData<Read>(oneKey(read.context.id), read);

export function changePlace(cache: QueryClient, projectId: string, id: string, change: Partial<Place>) {
  cache.setQueryData<Place[]>(mapKey(projectId), (places) =>
    places?.map((place) => (place.id === id ? { ...place, ...change } : place)),
  );
}

export const touchContexts = (cache: QueryClient) =>
  refresh(cache, (address) => /^\/api\/(contexts|v2\/(map|brain|overview))/.test(address));

/** What is for the whole team is written by those who manage it. */
export function useMayChange(): (place: Pick<Place, "projectId">) => boolean {
  const mayWrite = useMayWrite();
  const me = useMe();
  return (place) => (place.projectId === null ? manages(me) : mayWrite);
}

const newest = async (id: string) => {
  const [last] = await call("get", "/api/contexts/{id}/revisions", { path: { id }, query: { limit: 1 } });
  return last?.version ?? 1;
};

type Action = "approve" | "deprecate";
const AFTER = { approve: "approved", deprecate: "deprecated" } as const;
const BACK = { approved: "approve", deprecated: "deprecate" } as const;

/** What is done to a context as a whole; each with a way back where there is one. */
export function useActs(place: Place) {
  const cache = useQueryClient();
  const projectId = useProject().id;
  const { id, name, state } = place;
  const path = { id };
  const decide = useCallback(
    async (action: Action, before: Place["state"], undoing = false) => {
      const show = (now: Place["state"]) => {
        changePlace(cache, projectId, id, { state: now });
        cache.setQueryData<Read>(
          oneKey(id),
          (read) => read && { ...read, context: { ...read.context, state: now } },
        );
      };
      await cache.cancelQueries({ queryKey: mapKey(projectId) });
      show(AFTER[action]);
      try {
        await call("post", "/api/contexts/{id}/approve", { path: { id }, body: { action } });
        if (undoing) return;
        const done = `${action === "approve" ? "Approved" : "Deprecated"} “${name}”`;
        // No context becomes a draft again.
        if (before === "draft") showDone(done);
        else showUndo(done, () => void decide(BACK[before], AFTER[action], true));
      } catch (problem) {
        show(before);
        showProblem(problem as Error);
      } finally {
        void touchContexts(cache);
      }
    },
    [cache, projectId, id, name],
  );
  const attempt = async (act: () => Promise<void>) => {
    try {
      await act();
    } catch (problem) {
      showProblem(problem as Error);
    } finally {
      void touchContexts(cache);
    }
  };
  const goBack = (version: number) =>
    attempt(async () => void (await call("post", "/api/contexts/{id}/revert", { path, body: { version } })));
  return {
    decide: (action: Action) => decide(action, state),
    compact: () =>
      attempt(async () => {
        const before = await newest(id);
        const done = await call("post", "/api/contexts/{id}/compact", { path });
        const saved = done.tokensSaved > 0 ? `${amount(done.tokensSaved, "token")} saved` : "no token saved";
        const entries = `${amount(done.entriesBefore, "entry").replace("entrys", "entries")} became ${count(done.entriesAfter)}`;
        showUndo(`Compacted “${name}”: ${entries}, ${saved}`, () => void goBack(before));
      }),
    revert: (version: number) =>
      attempt(async () => {
        const before = await newest(id);
        await call("post", "/api/contexts/{id}/revert", { path, body: { version } });
        showUndo(`“${name}” reads as in version ${version} again`, () => void goBack(before));
      }),
  };
}

/** How many entries a journal has, as the server counts them: sections outside of code. */
export function entriesIn(content: string): number {
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
