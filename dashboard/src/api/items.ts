import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { request, type ApiError, type RequestOptions } from "./client";
import { queryKey, useGet } from "./hooks";
import type { components } from "./schema";
import type { Item, ItemFlag, ItemStatus } from "./types";

const LIST = "/api/v2/items";
const ONE = "/api/v2/items/{id}";

export type CitedEvent = components["schemas"]["EvidenceDetail"];
export type Related = components["schemas"]["RelatedItems"];
export type ItemChange = components["schemas"]["ItemUpdate"];
export type ItemsQuery = NonNullable<RequestOptions<typeof LIST, "get">["query"]>;

interface ItemPage {
  cursor: string;
  items: Item[];
  next: string | null;
}

/** The pages loaded so far. */
interface ItemList {
  pages: ItemPage[];
  total: number | null;
}

const PAGE_SIZE = 200;
/** Larger than a page, to leave room for items added since it was loaded. */
const REFETCH_SIZE = 260;
/** The first pages are always refetched; later ones only while they are visible. */
const ALWAYS_REFETCHED = 2;

async function fetchPage(query: ItemsQuery, cursor: string, limit: number, signal?: AbortSignal) {
  const response = await request("get", LIST, {
    query: { ...query, limit, ...(cursor ? { cursor } : { count: true }) },
    signal,
  });
  return { page: { cursor, items: response.data, next: response.nextCursor }, total: response.total };
}

/** Refetches a page up to where the next one starts. Returns null if the two no longer meet. */
async function refetchPage(
  query: ItemsQuery,
  current: ItemPage,
  next: ItemPage | undefined,
  signal?: AbortSignal,
): Promise<{ page: ItemPage; total: number | null } | null> {
  const fetched = await fetchPage(query, current.cursor, next ? REFETCH_SIZE : PAGE_SIZE, signal);
  if (!next) return fetched;
  const nextIds = new Set(next.items.map((item) => item.id));
  const overlap = fetched.page.items.findIndex((item) => nextIds.has(item.id));
  if (overlap < 0) return null;
  const items = fetched.page.items.slice(0, overlap);
  return { ...fetched, page: { cursor: current.cursor, items, next: current.next } };
}

/**
 * Items, loaded page by page on scroll. Stale lists refetch only their visible pages: refetching ten thousand items
 * would use up the user's rate limit.
 */
export function useItemList(query: ItemsQuery, options: { enabled?: boolean } = {}) {
  const cache = useQueryClient();
  const key = useMemo(() => [...queryKey(LIST, { query }), "item-pages"], [query]);
  const visibleRange = useRef<[number, number]>([0, 0]);
  const [loadMoreState, setLoadMoreState] = useState<"" | "busy" | ApiError>("");
  const list = useQuery<ItemList, ApiError>({
    queryKey: key,
    enabled: options.enabled,
    placeholderData: (previous) => previous,
    queryFn: async ({ signal }) => {
      const cached = cache.getQueryData<ItemList>(key);
      const startOver = async () => {
        const first = await fetchPage(query, "", PAGE_SIZE, signal);
        return { pages: [first.page], total: first.total };
      };
      if (!cached) return startOver();
      const pages = [...cached.pages];
      let { total } = cached;
      let offset = 0;
      for (let index = 0; index < cached.pages.length; index += 1) {
        const page = cached.pages[index]!;
        const [first, last] = visibleRange.current;
        const visible = offset <= last && offset + page.items.length > first;
        offset += page.items.length;
        if (index >= ALWAYS_REFETCHED && !visible) continue;
        const refetched = await refetchPage(query, page, cached.pages[index + 1], signal);
        if (!refetched) return startOver();
        pages[index] = refetched.page;
        total = refetched.total ?? total;
      }
      return { pages, total };
    },
  });
  const data = list.data;
  const items = useMemo(() => {
    const seen = new Set<string>();
    const all: Item[] = [];
    for (const page of data?.pages ?? []) {
      for (const item of page.items) {
        if (seen.has(item.id)) continue;
        seen.add(item.id);
        all.push(item);
      }
    }
    return all;
  }, [data]);
  const next = list.isPlaceholderData ? null : (data?.pages.at(-1)?.next ?? null);
  const loading = useRef(false);
  const loadMore = useCallback(async () => {
    const cursor = cache.getQueryData<ItemList>(key)?.pages.at(-1)?.next;
    if (!cursor || loading.current) return;
    loading.current = true;
    setLoadMoreState("busy");
    try {
      const { page } = await fetchPage(query, cursor, PAGE_SIZE);
      cache.setQueryData<ItemList>(key, (current) =>
        current && current.pages.at(-1)?.next === cursor
          ? { ...current, pages: [...current.pages, page] }
          : current,
      );
      setLoadMoreState("");
    } catch (error) {
      setLoadMoreState(error as ApiError);
    } finally {
      loading.current = false;
    }
  }, [cache, key, query]);
  return {
    items,
    total: data?.total ?? null,
    error: list.error,
    isLoading: list.isPending && !data,
    isPlaceholder: list.isPlaceholderData,
    refetch: list.refetch,
    hasMore: next !== null,
    loadMoreState,
    loadMore,
    visibleRange,
  };
}

/** An item and the ETag it was read with. */
export interface FetchedItem {
  item: Item;
  etag: string;
}

const itemKey = (id: string) => [...queryKey(ONE, { path: { id } }), "read"];

export function useItem(id: string) {
  return useQuery<FetchedItem, ApiError>({
    queryKey: itemKey(id),
    queryFn: async ({ signal }) => fetchItem(id, signal),
  });
}

export async function fetchItem(id: string, signal?: AbortSignal): Promise<FetchedItem> {
  const response = await request("get", ONE, { path: { id }, signal });
  return { item: response.data, etag: response.etag ?? "" };
}

export const cacheItem = (cache: QueryClient, fetched: FetchedItem) =>
  cache.setQueryData<FetchedItem>(itemKey(fetched.item.id), fetched);

export const useEvidence = (id: string, enabled = true) =>
  useGet("/api/v2/items/{id}/evidence", { path: { id } }, { enabled });

export const useRelated = (id: string, enabled = true) =>
  useGet("/api/v2/items/{id}/related", { path: { id } }, { enabled });

const isItemList = (query: { queryKey: readonly unknown[] }) =>
  query.queryKey[0] === LIST && query.queryKey.at(-1) === "item-pages";

/** Replaces items in every cached list and detail. */
export function updateCached(cache: QueryClient, updated: ReadonlyMap<string, Item>) {
  const replace = (item: Item) => updated.get(item.id) ?? item;
  cache.setQueriesData<ItemList>(
    { predicate: isItemList },
    (list) =>
      list && {
        ...list,
        pages: list.pages.map((page) =>
          page.items.some((item) => updated.has(item.id))
            ? { ...page, items: page.items.map(replace) }
            : page,
        ),
      },
  );
  for (const item of updated.values()) {
    cache.setQueryData<FetchedItem>(itemKey(item.id), (fetched) => fetched && { ...fetched, item });
  }
}

const CLEARED_BY_APPROVAL: ItemFlag[] = ["stale", "low_confidence", "quality", "conflict"];

/** The item as the server will return it after this review decision, which also clears flags. */
export function withStatus(item: Item, status: ItemStatus): Item {
  const cleared: ItemFlag[] = status === "approved" ? CLEARED_BY_APPROVAL : ["conflict"];
  return { ...item, status, flags: item.flags.filter((flag) => !cleared.includes(flag)) };
}

/** Removes deleted items from every cached list. */
export function removeCached(cache: QueryClient, ids: ReadonlySet<string>) {
  cache.setQueriesData<ItemList>({ predicate: isItemList }, (list) => {
    if (!list) return list;
    const removed = list.pages.flatMap((page) => page.items).filter((item) => ids.has(item.id)).length;
    if (removed === 0) return list;
    return {
      total: list.total === null ? null : list.total - removed,
      pages: list.pages.map((page) => ({
        ...page,
        items: page.items.filter((item) => !ids.has(item.id)),
      })),
    };
  });
}

/** Changes not yet confirmed by the server: the item as it will be, or null if it will be deleted. */
export type PendingChanges = ReadonlyMap<string, Item | null>;
let pending: PendingChanges = new Map();
const listeners = new Set<() => void>();

function replacePending(changes: PendingChanges) {
  pending = changes;
  for (const listener of listeners) listener();
}

export function setPending(changes: Iterable<readonly [string, Item | null]>) {
  replacePending(new Map([...pending, ...changes]));
}

export function clearPending(ids: Iterable<string>) {
  const remaining = new Map(pending);
  for (const id of ids) remaining.delete(id);
  replacePending(remaining);
}

/** How long a list requested before a change may still arrive after it. */
const LATE_LIST_MS = 3000;

/** Stores the items the server returned, and keeps them over any older list still in flight. */
export function confirmPending(cache: QueryClient, confirmed: ReadonlyMap<string, Item>) {
  updateCached(cache, confirmed);
  setPending(confirmed);
  const clear = () =>
    clearPending([...confirmed.keys()].filter((id) => pending.get(id) === confirmed.get(id)));
  setTimeout(clear, LATE_LIST_MS);
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const findPending = (id: string) => pending.get(id);

export const usePendingChanges = (): PendingChanges => useSyncExternalStore(subscribe, () => pending);

/** Items with pending changes applied. */
export function applyPending(items: Item[], changes: PendingChanges): Item[] {
  if (changes.size === 0) return items;
  return items.flatMap((item) => {
    const change = changes.get(item.id);
    return change === undefined ? [item] : change === null ? [] : [change];
  });
}
