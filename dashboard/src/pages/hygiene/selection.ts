import { useCallback, useMemo, useRef, useState } from "react";
import { useShortcuts } from "~/parts/shortcuts";
import { groupActions, type Action, type Plan } from "./actions";

function toggled(before: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const after = new Set(before);
  if (!after.delete(id)) after.add(id);
  return after;
}

/** Selected and expanded actions of a plan, with keyboard shortcuts. */
export function usePlanSelection(plan: Plan, editable: boolean) {
  const [checked, setChecked] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const active = useRef("");
  const box = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupActions(plan), [plan]);
  const order = useMemo(() => groups.flatMap(({ actions }) => actions), [groups]);
  // Deselect actions that someone else has applied in the meantime.
  const selected = useMemo(
    () => new Set(order.filter((action) => !action.applied && checked.has(action.id)).map(({ id }) => id)),
    [order, checked],
  );
  const select = useCallback((id: string) => setChecked((before) => toggled(before, id)), []);
  const toggle = useCallback((id: string) => setOpen((before) => toggled(before, id)), []);
  const onFocus = useCallback((id: string) => {
    active.current = id;
  }, []);
  const selectAll = useCallback(
    (actions: Action[], on: boolean) =>
      setChecked((before) => {
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
  useShortcuts({
    j: () => step(1),
    k: () => step(-1),
    x: () => {
      const action = order.find(({ id }) => id === active.current);
      if (editable && action && !action.applied) select(action.id);
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
    onFocus,
    clear: () => setChecked(new Set()),
  };
}
