import { useCallback, useMemo, useRef, useState } from "react";
import { useKeys } from "~/parts/keys";
import { groupsOf, type Action, type Plan } from "./words";

function flipped(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

/** What is selected of a plan, what is open, and the keys for both. */
export function useChoosing(plan: Plan, live: boolean) {
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const active = useRef("");
  const box = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupsOf(plan), [plan]);
  const order = useMemo(() => groups.flatMap(({ actions }) => actions), [groups]);
  // What somebody else has done meanwhile is no longer selected.
  const selected = useMemo(
    () => new Set(order.filter((action) => !action.applied && wanted.has(action.id)).map(({ id }) => id)),
    [order, wanted],
  );
  const select = useCallback((id: string) => setWanted((before) => flipped(before, id)), []);
  const toggle = useCallback((id: string) => setOpen((before) => flipped(before, id)), []);
  const focused = useCallback((id: string) => {
    active.current = id;
  }, []);
  const selectAll = useCallback(
    (actions: Action[], on: boolean) =>
      setWanted((before) => {
        const after = new Set(before);
        for (const { id } of actions) {
          if (on) after.add(id);
          else after.delete(id);
        }
        return after;
      }),
    [],
  );
  const step = (by: number) => {
    const here = order.findIndex(({ id }) => id === active.current);
    const next = order[Math.min(order.length - 1, Math.max(0, here + by))];
    const row =
      next && box.current?.querySelector<HTMLElement>(`[data-action="${next.id}"] [data-open-button]`);
    row?.focus();
    row?.scrollIntoView({ block: "nearest" });
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const action = order.find(({ id }) => id === active.current);
      if (live && action && !action.applied) select(action.id);
    },
  });
  return {
    box,
    groups,
    order,
    selected,
    open,
    select,
    selectAll,
    toggle,
    focused,
    clear: () => setWanted(new Set()),
  };
}
