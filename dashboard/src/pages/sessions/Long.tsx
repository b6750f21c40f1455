import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";

/** So few are simply there, and the browser's own search finds them. */
const FEW = 60;
const AHEAD = "900px";

interface Given<T> {
  rows: T[];
  keyOf: (row: T) => string;
  estimate: (row: T) => number;
  show: (row: T, place: number) => ReactNode;
  /** The reader comes near to the end: fetch more, if there is more. */
  nearEnd: () => void;
}

function Virtual<T>({ rows, keyOf, estimate, show }: Given<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () =>
      setTop(Math.round((box.current?.getBoundingClientRect().top ?? 0) + window.scrollY));
    measure();
    // What stands above may fold and unfold.
    const watch = new ResizeObserver(measure);
    watch.observe(document.body);
    return () => watch.disconnect();
  }, []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: (place) => estimate(rows[place]!),
    getItemKey: (place) => keyOf(rows[place]!),
    scrollMargin: top,
    overscan: 6,
  });
  return (
    <div ref={box} style={{ position: "relative", height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map((at) => (
        <div
          key={at.key}
          ref={virtual.measureElement}
          data-index={at.index}
          style={{
            position: "absolute",
            insetInline: 0,
            top: 0,
            transform: `translateY(${at.start - top}px)`,
          }}
        >
          {show(rows[at.index]!, at.index)}
        </div>
      ))}
    </div>
  );
}

/** Rows that may be very many; only those in sight exist. The window scrolls, nothing else. */
export function Long<T>(given: Given<T>) {
  const end = useRef<HTMLDivElement>(null);
  const { rows, keyOf, show, nearEnd } = given;
  useEffect(() => {
    const watch = new IntersectionObserver(([seen]) => seen?.isIntersecting && nearEnd(), {
      rootMargin: AHEAD,
    });
    if (end.current) watch.observe(end.current);
    return () => watch.disconnect();
  }, [nearEnd, rows.length]);
  return (
    <>
      {rows.length <= FEW ? (
        rows.map((row, place) => <div key={keyOf(row)}>{show(row, place)}</div>)
      ) : (
        <Virtual {...given} />
      )}
      <div ref={end} />
    </>
  );
}
