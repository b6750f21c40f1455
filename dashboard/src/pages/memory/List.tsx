import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ApiError } from "~/api/client";
import type { Item } from "~/api/types";
import { Row } from "./Row";
import classes from "./memory.module.css";

interface Props {
  items: Item[];
  total: number;
  active: number;
  /** Grows with each step by keyboard: the row gets the focus then. */
  steps: number;
  chosen: ReadonlySet<string>;
  mayWrite: boolean;
  select: (place: number, range: boolean) => void;
  hasMore: boolean;
  more: "" | "busy" | ApiError;
  loadMore: () => void;
  seen: (first: number, last: number) => void;
}

const HEADER = 64;
const FOOTER = 96;

/** Where the list begins on the page; what stands above it may grow. */
function useTop() {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const watch = new ResizeObserver(measure);
    const above = list.current?.parentElement;
    for (const one of above ? [above, ...above.children] : []) {
      if (one !== list.current) watch.observe(one);
    }
    return () => watch.disconnect();
  }, []);
  return [list, top] as const;
}

export function List(props: Props) {
  const { items, total, active, steps, chosen, mayWrite, select, hasMore, more, loadMore, seen } = props;
  const narrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const height = narrow ? 104 : 64;
  const [list, top] = useTop();
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    getItemKey: (place) => items[place]?.id ?? place,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: HEADER,
    scrollPaddingEnd: FOOTER,
  });
  useEffect(() => rows.measure(), [rows, height]);
  const shown = rows.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    seen(first, last);
    if (hasMore && more === "" && last >= items.length - 60) loadMore();
  }, [first, last, items.length, hasMore, more, loadMore, seen]);
  useEffect(() => {
    if (steps === 0) return;
    rows.scrollToIndex(active, { align: "auto" });
    let tries = 0;
    const focus = () => {
      const link = list.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
      if (link) link.focus({ preventScroll: true });
      else if ((tries += 1) < 20) frame = requestAnimationFrame(focus);
    };
    let frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
    // Only a step moves the focus; a list that changes must not take it.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [steps]);
  return (
    <>
      <div
        ref={list}
        role="list"
        aria-label="Memories"
        className={classes.list}
        style={{ height: rows.getTotalSize() }}
      >
        {shown.map((row) => {
          const item = items[row.index];
          if (!item) return null;
          return (
            <Row
              key={item.id}
              item={item}
              place={row.index}
              of={total}
              start={row.start - top}
              height={height}
              active={row.index === active && steps > 0}
              selected={chosen.has(item.id)}
              mayWrite={mayWrite}
              select={select}
            />
          );
        })}
      </div>
      {more === "busy" && (
        <Group justify="center" p="md" gap="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            More is on its way
          </Text>
        </Group>
      )}
      {typeof more === "object" && (
        <Alert color="red" variant="outline" mt="md" title="The rest could not be shown">
          <Group>
            <Text size="sm">{more.message}</Text>
            <Button size="xs" variant="default" onClick={loadMore}>
              Try again
            </Button>
          </Group>
        </Alert>
      )}
    </>
  );
}
