import { useCallback, useRef, useState } from "react";
import type { Item } from "~/api/types";

/** Which of a list are selected; a range goes from the one that was clicked last. */
export function useChosen(items: Item[]) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const latest = useRef(items);
  latest.current = items;
  const from = useRef(0);
  const select = useCallback((place: number, range: boolean) => {
    const all = latest.current;
    const start = range ? Math.min(from.current, place) : place;
    const end = range ? Math.max(from.current, place) : place;
    from.current = place;
    setChosen((before) => {
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
  const all = useCallback(() => setChosen(new Set(latest.current.map((item) => item.id))), []);
  const none = useCallback(() => setChosen(new Set()), []);
  return { chosen, select, all, none };
}
