import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";

/** Shorter lists are rendered in full, so the browser's find-in-page works. */
const RENDER_ALL_UP_TO = 60;
const PREFETCH_MARGIN = "900px";

interface Props<T> {
  rows: T[];
  keyOf: (row: T) => string;
  estimate: (row: T) => number;
  renderRow: (row: T, index: number) => ReactNode;
  /** Called when the user scrolls near the end. */
  onNearEnd: () => void;
}

function WindowedRows<T>({ rows, keyOf, estimate, renderRow }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () =>
      setTop(Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    // Content above the list can collapse and expand.
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (index) => estimate(rows[index]!),
    getItemKey: (index) => keyOf(rows[index]!),
    scrollMargin: top,
    overscan: 6,
  });
  return (
    <div ref={box} style={{ position: "relative", height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map((item) => (
        <div
          key={item.key}
          ref={virtualizer.measureElement}
          data-index={item.index}
          style={{
            position: "absolute",
            insetInline: 0,
            top: 0,
            transform: `translateY(${item.start - top}px)`,
          }}
        >
          {renderRow(rows[item.index]!, item.index)}
        </div>
      ))}
    </div>
  );
}

/** A list that renders only visible rows and scrolls with the window. */
export function VirtualList<T>(props: Props<T>) {
  const end = useRef<HTMLDivElement>(null);
  const { rows, keyOf, renderRow, onNearEnd } = props;
  useEffect(() => {
    const watch = new IntersectionObserver(([entry]) => entry?.isIntersecting && onNearEnd(), {
      rootMargin: PREFETCH_MARGIN,
    });
    if (end.current) watch.observe(end.current);
    return () => watch.disconnect();
  }, [onNearEnd, rows.length]);
  return (
    <>
      {rows.length <= RENDER_ALL_UP_TO ? (
        rows.map((row, index) => <div key={keyOf(row)}>{renderRow(row, index)}</div>)
      ) : (
        <WindowedRows {...props} />
      )}
      <div ref={end} />
    </>
  );
}
