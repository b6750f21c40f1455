import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useShortcuts } from "~/parts/shortcuts";
import { FindingRow } from "./FindingRow";
import type { Finding } from "./findings";
import classes from "./findings.module.css";

const HEADER_PX = 72;

/** A virtualized list. Rows are measured because each can be expanded. */
export function FindingList({ findings }: { findings: Finding[] }) {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(-1);
  const narrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, []);
  const rows = useWindowVirtualizer({
    count: findings.length,
    estimateSize: () => (narrow ? 108 : 76),
    getItemKey: (index) => findings[index]?.id ?? index,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: HEADER_PX,
  });
  const toggle = useCallback(
    (id: string) =>
      setOpen((before) => {
        const after = new Set(before);
        if (!after.delete(id)) after.add(id);
        return after;
      }),
    [],
  );
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  const step = (by: number) => {
    const next = Math.min(findings.length - 1, Math.max(0, active + by));
    setActive(next);
    rows.scrollToIndex(next, { align: "auto" });
    let tries = 0;
    const focus = () => {
      const row = list.current?.querySelector<HTMLElement>(`[data-index="${next}"] button`);
      if (row) row.focus({ preventScroll: true });
      else if ((tries += 1) < 20) frame.current = requestAnimationFrame(focus);
    };
    frame.current = requestAnimationFrame(focus);
  };
  useShortcuts({ j: () => step(1), k: () => step(-1) });
  return (
    <div
      ref={list}
      className={classes.findings}
      role="list"
      aria-label="Findings"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map((row) => {
        const finding = findings[row.index];
        if (!finding) return null;
        return (
          <div
            key={row.key}
            ref={rows.measureElement}
            data-index={row.index}
            role="listitem"
            aria-posinset={row.index + 1}
            aria-setsize={findings.length}
            className={classes.row}
            style={{ transform: `translateY(${row.start - top}px)` }}
            onFocus={() => setActive(row.index)}
          >
            <FindingRow finding={finding} open={open.has(finding.id)} toggle={toggle} />
          </div>
        );
      })}
    </div>
  );
}
