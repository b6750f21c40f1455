import { useCallback, useEffect, useMemo, useState } from "react";
import { applyPending, usePendingChanges, useItemList, type ItemsQuery } from "~/api/items";
import type { Item, ItemFlag } from "~/api/types";

export type Tab = "drafts" | "lowConfidence" | "conflicts" | "stale";
export const TABS: Tab[] = ["drafts", "lowConfidence", "conflicts", "stale"];

const FLAG: Record<Tab, ItemFlag | null> = {
  drafts: null,
  lowConfidence: "low_confidence",
  conflicts: "conflict",
  stale: "stale",
};

const belongs = (item: Item, flag: ItemFlag | null) =>
  flag === null ? item.status === "draft" : item.status !== "deprecated" && item.flags.includes(flag);

/** Items to review, newest first, without items reviewed on this page (cached lists may still have them). */
export function useQueue(projectId: string, tab: Tab, openCount: number) {
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
  const pending = usePendingChanges();
  const [reviewed, setReviewed] = useState<ReadonlySet<string>>(new Set());
  const [restored, setRestored] = useState<Item[]>([]);
  const [cursor, setCursor] = useState<{ id: string; index: number }>({ id: "", index: 0 });
  const busy =
    first.isLoading || first.isPlaceholder || (flag !== null && (second.isLoading || second.isPlaceholder));
  const items = useMemo(() => {
    const known = flag ? [...first.items, ...second.items] : first.items;
    const ids = new Set(known.map((item) => item.id));
    const all = [...known, ...restored.filter((item) => !ids.has(item.id))];
    return applyPending(all, pending)
      .filter((item) => !reviewed.has(item.id) && belongs(item, flag))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }, [first.items, second.items, restored, pending, reviewed, flag]);
  const found = items.findIndex((item) => item.id === cursor.id);
  const index = found >= 0 ? found : Math.max(0, Math.min(cursor.index, items.length - 1));
  const current = items[index];
  const goTo = useCallback(
    (to: number) => {
      const next = items[Math.max(0, Math.min(items.length - 1, to))];
      if (next) setCursor({ id: next.id, index: items.indexOf(next) });
    },
    [items],
  );
  /** Removes reviewed items from the queue and moves on to the next. */
  const dismiss = useCallback(
    (ids: string[]) => {
      const next = items.find((item, at) => at > index && !ids.includes(item.id));
      const here = ids.filter((id) => items.some((item) => item.id === id));
      setReviewed((before) => new Set([...before, ...here]));
      setRestored((before) => before.filter((item) => !ids.includes(item.id)));
      setCursor({ id: next?.id ?? "", index });
    },
    [items, index],
  );
  const restore = useCallback((items: Item[], to: string) => {
    const ids = new Set(items.map((item) => item.id));
    setReviewed((before) => new Set([...before].filter((id) => !ids.has(id))));
    setRestored((before) => [...before.filter((item) => !ids.has(item.id)), ...items]);
    setCursor({ id: to, index: 0 });
  }, []);
  const { loadMore, hasMore } = first;
  const others = second.loadMore;
  const moreOthers = second.hasMore;
  useEffect(() => {
    if (index < items.length - 20) return;
    if (hasMore) void loadMore();
    if (moreOthers) void others();
  }, [index, items.length, hasMore, loadMore, moreOthers, others]);
  const remaining = hasMore || moreOthers ? Math.max(openCount, items.length) : items.length;
  return {
    items,
    current,
    index,
    position: reviewed.size + index + 1,
    total: reviewed.size + remaining,
    reviewed: reviewed.size,
    busy: busy && items.length === 0,
    error: first.error ?? second.error,
    refetch: first.refetch,
    goTo,
    dismiss,
    restore,
  };
}
