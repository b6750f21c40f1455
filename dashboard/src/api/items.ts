import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { tell, type ApiError, type Given } from "./client";
import { keyOf, useGet } from "./hooks";
import type { components } from "./schema";
import type { Item, ItemFlag, ItemStatus } from "./types";

const LIST = "/api/v2/items";
const ONE = "/api/v2/items/{id}";

export type CitedEvent = components["schemas"]["CitedEvent"];
export type Related = components["schemas"]["RelatedItems"];
export type ItemChange = components["schemas"]["ItemChange"];
export type ItemsQuery = NonNullable<Given<typeof LIST, "get">["query"]>;

interface Stretch {
  cursor: string;
  items: Item[];
  next: string | null;
}

/** As much of a list as has been scrolled to. */
interface ItemList {
  stretches: Stretch[];
  total: number | null;
}

const AT_ONCE = 200;
/** A stretch that is asked for again has room for what has come in between. */
const AGAIN = 260;
/** So many stretches are always asked for again; of a longer list only the first and those in sight. */
const FEW = 2;

async function ask(query: ItemsQuery, cursor: string, limit: number, signal?: AbortSignal) {
  const told = await tell("get", LIST, {
    query: { ...query, limit, ...(cursor ? { cursor } : { count: true }) },
    signal,
  });
  return { stretch: { cursor, items: told.data, next: told.nextCursor }, total: told.total };
}

/** What stands between one stretch and the next now; null where the two no longer meet. */
async function askAgain(
  query: ItemsQuery,
  known: Stretch,
  next: Stretch | undefined,
  signal?: AbortSignal,
): Promise<{ stretch: Stretch; total: number | null } | null> {
  const told = await ask(query, known.cursor, next ? AGAIN : AT_ONCE, signal);
  if (!next) return told;
  const beyond = new Set(next.items.map((item) => item.id));
  const meets = told.stretch.items.findIndex((item) => beyond.has(item.id));
  if (meets < 0) return null;
  const items = told.stretch.items.slice(0, meets);
  return { ...told, stretch: { cursor: known.cursor, items, next: known.next } };
}

/**
 * Items, page by page as one scrolls. Whenever they have become old only what is in sight is asked for again: ten
 * thousand that somebody has scrolled through would use up the reader's rate limit at a stroke.
 */
export function useItemList(query: ItemsQuery, options: { enabled?: boolean } = {}) {
  const cache = useQueryClient();
  const key = useMemo(() => [...keyOf(LIST, { query }), "stretches"], [query]);
  const sight = useRef<[number, number]>([0, 0]);
  const [more, setMore] = useState<"" | "busy" | ApiError>("");
  const found = useQuery<ItemList, ApiError>({
    queryKey: key,
    enabled: options.enabled,
    placeholderData: (before) => before,
    queryFn: async ({ signal }) => {
      const known = cache.getQueryData<ItemList>(key);
      const start = async () => {
        const first = await ask(query, "", AT_ONCE, signal);
        return { stretches: [first.stretch], total: first.total };
      };
      if (!known) return start();
      const stretches = [...known.stretches];
      let { total } = known;
      let place = 0;
      for (let at = 0; at < known.stretches.length; at += 1) {
        const stretch = known.stretches[at]!;
        const [first, last] = sight.current;
        const seen = place <= last && place + stretch.items.length > first;
        place += stretch.items.length;
        if (at >= FEW && !seen) continue;
        const now = await askAgain(query, stretch, known.stretches[at + 1], signal);
        if (!now) return start();
        stretches[at] = now.stretch;
        total = now.total ?? total;
      }
      return { stretches, total };
    },
  });
  const data = found.data;
  const items = useMemo(() => {
    const seen = new Set<string>();
    const all: Item[] = [];
    for (const stretch of data?.stretches ?? []) {
      for (const item of stretch.items) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        all.push(item);
      }
    }
    return all;
  }, [data]);
  const next = found.isPlaceholderData ? null : (data?.stretches.at(-1)?.next ?? null);
  const loading = useRef(false);
  const loadMore = useCallback(async () => {
    const known = cache.getQueryData<ItemList>(key);
    const cursor = known?.stretches.at(-1)?.next;
    if (!cursor || loading.current) return;
    loading.current = true;
    setMore("busy");
    try {
      const { stretch } = await ask(query, cursor, AT_ONCE);
      cache.setQueryData<ItemList>(key, (now) =>
        now && now.stretches.at(-1)?.next === cursor
          ? { ...now, stretches: [...now.stretches, stretch] }
          : now,
      );
      setMore("");
    } catch (problem) {
      setMore(problem as ApiError);
    } finally {
      loading.current = false;
    }
  }, [cache, key, query]);
  return {
    items,
    total: data?.total ?? null,
    error: found.error,
    isLoading: found.isPending && !data,
    isOld: found.isPlaceholderData,
    refetch: found.refetch,
    hasMore: next !== null,
    more,
    loadMore,
    sight,
  };
}

/** An item as it was read, and the mark by which the server knows that reading. */
export interface Read {
  item: Item;
  etag: string;
}

const oneKey = (id: string) => [...keyOf(ONE, { path: { id } }), "read"];

export function useItem(id: string) {
  return useQuery<Read, ApiError>({
    queryKey: oneKey(id),
    queryFn: async ({ signal }) => readItem(id, signal),
  });
}

export async function readItem(id: string, signal?: AbortSignal): Promise<Read> {
  const told = await tell("get", ONE, { path: { id }, signal });
  return { item: told.data, etag: told.etag ?? "" };
}

export const keepRead = (cache: QueryClient, read: Read) =>
  cache.setQueryData<Read>(oneKey(read.item.id), read);

export const useEvidence = (id: string, enabled = true) =>
  useGet("/api/v2/items/{id}/evidence", { path: { id } }, { enabled });

export const useRelated = (id: string, enabled = true) =>
  useGet("/api/v2/items/{id}/related", { path: { id } }, { enabled });

/** Show items as they will be, wherever they are shown. */
export function changeCached(cache: QueryClient, after: ReadonlyMap<string, Item>) {
  const changed = (item: Item) => after.get(item.id) ?? item;
  cache.setQueriesData<ItemList>(
    { predicate: (query) => query.queryKey[0] === LIST && query.queryKey.at(-1) === "stretches" },
    (list) =>
      list && {
        ...list,
        stretches: list.stretches.map((stretch) =>
          stretch.items.some((item) => after.has(item.id))
            ? { ...stretch, items: stretch.items.map(changed) }
            : stretch,
        ),
      },
  );
  for (const item of after.values()) {
    cache.setQueryData<Read>(oneKey(item.id), (read) => read && { ...read, item });
  }
}

const DOUBTS: ItemFlag[] = ["stale", "low_confidence", "quality"];

/** What the server will make of it: a person's word ends the doubts. */
export function judged(item: Item, status: ItemStatus): Item {
  const settled: ItemFlag[] = status === "approved" ? [...DOUBTS, "conflict"] : ["conflict"];
  return { ...item, status, flags: item.flags.filter((flag) => !settled.includes(flag)) };
}

/** Items that have gone are in no list any more. */
export function dropCached(cache: QueryClient, ids: ReadonlySet<string>) {
  cache.setQueriesData<ItemList>(
    { predicate: (query) => query.queryKey[0] === LIST && query.queryKey.at(-1) === "stretches" },
    (list) => {
      if (!list) return list;
      const gone = list.stretches
        .flatMap((stretch) => stretch.items)
        .filter((item) => ids.has(item.id)).length;
      if (gone === 0) return list;
      return {
        total: list.total === null ? null : list.total - gone,
        stretches: list.stretches.map((stretch) => ({
          ...stretch,
          items: stretch.items.filter((item) => !ids.has(item.id)),
        })),
      };
    },
  );
}

/** What has been decided about items and is on its way to the server: how they will be, or null if they will be gone. */
export type Fates = ReadonlyMap<string, Item | null>;
let fates: Fates = new Map();
const hearing = new Set<() => void>();

function setFates(now: Fates) {
  fates = now;
  for (const hear of hearing) hear();
}

export function decide(decided: Iterable<readonly [string, Item | null]>) {
  setFates(new Map([...fates, ...decided]));
}

export function forget(ids: Iterable<string>) {
  const now = new Map(fates);
  for (const id of ids) now.delete(id);
  setFates(now);
}

/** So long a list that was asked for before a change may still arrive after it. */
const LATE_MS = 3000;

/** The server has said how they are: that holds against lists which are older than its word. */
export function settled(cache: QueryClient, after: ReadonlyMap<string, Item>) {
  changeCached(cache, after);
  decide(after);
  setTimeout(() => forget([...after.keys()].filter((id) => fates.get(id) === after.get(id))), LATE_MS);
}

function hear(tell: () => void) {
  hearing.add(tell);
  return () => hearing.delete(tell);
}

export const fateOf = (id: string) => fates.get(id);

export const useFates = (): Fates => useSyncExternalStore(hear, () => fates);

/** Items as they will be. */
export function foretold(items: Item[], decided: Fates): Item[] {
  if (decided.size === 0) return items;
  return items.flatMap((item) => {
    const fate = decided.get(item.id);
    return fate === undefined ? [item] : fate === null ? [] : [fate];
  });
}
