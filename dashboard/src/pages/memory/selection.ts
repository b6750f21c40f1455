import { useCallback, useRef, useState } from "react";
import type { Item } from "~/api/types";

/** The selected items of a list; a range starts at the item clicked last. */
export function useSelection(items: Item[]) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(items);
  latest.current = items;
  const anchor = useRef(0);
  const select = useCallback((index: number, range: boolean) => {
    const all = latest.current;
    const start = range ? Math.min(anchor.current, index) : index;
    const end = range ? Math.max(anchor.current, index) : index;
    anchor.current = index;
    setSelected((before) => {
      const now = new Set(before);
      for (let at = start; at <= end; at += 1) {
        const id = all[at]?.id;
        if (!id) continue;
        if (range || !before.has(id)) now.add(id);
        else now.delete(id);
      }
      return now;
    });
  }, []);
  const selectAll = useCallback(() => setSelected(new Set(latest.current.map((item) => item.id))), []);
  const clear = useCallback(() => setSelected(new Set()), []);
  return { selected, select, selectAll, clear };
}
