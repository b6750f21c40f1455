import { useCallback, useEffect, useMemo, useState } from "react";
import { foretold, useFates, useItemList, type ItemsQuery } from "~/api/items";
import type { Item, ItemFlag } from "~/api/types";

export type Tab = "drafts" | "doubtful" | "conflicts" | "stale";
export const TABS: Tab[] = ["drafts", "doubtful", "conflicts", "stale"];

const FLAG: Record<Tab, ItemFlag | null> = {
  drafts: null,
  doubtful: "low_confidence",
  conflicts: "conflict",
  stale: "stale",
};

const belongs = (item: Item, flag: ItemFlag | null) =>
  flag === null ? item.status === "draft" : item.status !== "deprecated" && item.flags.includes(flag);

/** What waits for a word, newest first: what was judged here has left it, whatever older answers say. */
export function useQueue(projectId: string, tab: Tab, waiting: number) {
  const flag = FLAG[tab];
  const drafts = useMemo<ItemsQuery>(
    () => ({ projectId, status: "draft", ...(flag ? { flag } : {}) }),
    [projectId, flag],
  );
  const approved = useMemo<ItemsQuery>(
    () => ({ projectId, status: "approved", ...(flag ? { flag } : {}) }),
    [projectId, flag],
  );
  const first = useItemList(drafts);
  const second = useItemList(approved, { enabled: flag !== null });
  const fates = useFates();
  const [judged, setJudged] = useState<ReadonlySet<string>>(new Set());
  const [returned, setReturned] = useState<Item[]>([]);
  const [at, setAt] = useState<{ id: string; place: number }>({ id: "", place: 0 });
  const busy = first.isLoading || first.isOld || (flag !== null && (second.isLoading || second.isOld));
  const items = useMemo(() => {
    const known = flag ? [...first.items, ...second.items] : first.items;
    const ids = new Set(known.map((item) => item.id));
    const all = [...known, ...returned.filter((item) => !ids.has(item.id))];
    return foretold(all, fates)
      .filter((item) => !judged.has(item.id) && belongs(item, flag))
      .sort((one, other) => (one.id < other.id ? 1 : -1));
  }, [first.items, second.items, returned, fates, judged, flag]);
  const found = items.findIndex((item) => item.id === at.id);
  const place = found >= 0 ? found : Math.max(0, Math.min(at.place, items.length - 1));
  const current = items[place];
  const go = useCallback(
    (to: number) => {
      const next = items[Math.max(0, Math.min(items.length - 1, to))];
      if (next) setAt({ id: next.id, place: items.indexOf(next) });
    },
    [items],
  );
  /** These are judged: the next one takes their place. */
  const leave = useCallback(
    (ids: string[]) => {
      const next = items.find((item, index) => index > place && !ids.includes(item.id));
      const here = ids.filter((id) => items.some((item) => item.id === id));
      setJudged((before) => new Set([...before, ...here]));
      setReturned((before) => before.filter((item) => !ids.includes(item.id)));
      setAt({ id: next?.id ?? "", place });
    },
    [items, place],
  );
  const comeBack = useCallback((those: Item[], to: string) => {
    const ids = new Set(those.map((item) => item.id));
    setJudged((before) => new Set([...before].filter((id) => !ids.has(id))));
    setReturned((before) => [...before.filter((item) => !ids.has(item.id)), ...those]);
    setAt({ id: to, place: 0 });
  }, []);
  const { loadMore, hasMore } = first;
  const others = second.loadMore;
  const moreOthers = second.hasMore;
  useEffect(() => {
    if (place < items.length - 20) return;
    if (hasMore) void loadMore();
    if (moreOthers) void others();
  }, [place, items.length, hasMore, loadMore, moreOthers, others]);
  const left = hasMore || moreOthers ? Math.max(waiting, items.length) : items.length;
  return {
    items,
    current,
    place,
    position: judged.size + place + 1,
    total: judged.size + left,
    judged: judged.size,
    busy: busy && items.length === 0,
    error: first.error ?? second.error,
    refetch: first.refetch,
    go,
    leave,
    comeBack,
  };
}
