import { Alert, Button, Group, Loader, Text } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { ApiError } from "~/api/client";
import type { Item } from "~/api/types";
import { errorText } from "~/parts/errorText";
import { MemoryRow } from "./MemoryRow";
import classes from "./memory.module.css";

interface Props {
  items: Item[];
  total: number;
  active: number;
  /** Incremented on each keyboard move; the active row then gets the focus. */
  focusRequests: number;
  selected: ReadonlySet<string>;
  canWrite: boolean;
  select: (index: number, range: boolean) => void;
  hasMore: boolean;
  more: "" | "busy" | ApiError;
  loadMore: () => void;
  onVisible: (first: number, last: number) => void;
}

const HEADER_PX = 64;
const FOOTER_PX = 96;

/** Offset of the list from the top of the page, updated when content above it resizes. */
function useListTop() {
  const list = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = () => {
      if (list.current) setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const watch = new ResizeObserver(measure);
    const parent = list.current?.parentElement;
    for (const element of parent ? [parent, ...parent.children] : []) {
      if (element !== list.current) watch.observe(element);
    }
    return () => watch.disconnect();
  }, []);
  return [list, top] as const;
}

export function MemoryList(props: Props) {
  const {
    items,
    total,
    active,
    focusRequests,
    selected,
    canWrite,
    select,
    hasMore,
    more,
    loadMore,
    onVisible,
  } = props;
  const narrow = useMediaQuery("(max-width: 48em)", false, { getInitialValueInEffect: false });
  const height = narrow ? 104 : 64;
  const [list, top] = useListTop();
  const virtualizer = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => height,
    getItemKey: (index) => items[index]?.id ?? index,
    overscan: 6,
    scrollMargin: top,
    scrollPaddingStart: HEADER_PX,
    scrollPaddingEnd: FOOTER_PX,
  });
  useEffect(() => virtualizer.measure(), [virtualizer, height]);
  const visible = virtualizer.getVirtualItems();
  const first = visible[0]?.index ?? 0;
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    onVisible(first, last);
    if (hasMore && more === "" && last >= items.length - 60) loadMore();
  }, [first, last, items.length, hasMore, more, loadMore, onVisible]);
  useEffect(() => {
    if (focusRequests === 0) return;
    virtualizer.scrollToIndex(active, { align: "auto" });
    let tries = 0;
    const focus = () => {
      const link = list.current?.querySelector<HTMLElement>(`[data-row="${active}"]`);
      if (link) link.focus({ preventScroll: true });
      else if ((tries += 1) < 20) frame = requestAnimationFrame(focus);
    };
    let frame = requestAnimationFrame(focus);
    return () => cancelAnimationFrame(frame);
    // Only keyboard moves change the focus; updates of the list must not.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [focusRequests]);
  return (
    <>
      <div
        ref={list}
        role="list"
        aria-label="Memories"
        className={classes.list}
        style={{ height: virtualizer.getTotalSize() }}
      >
        {visible.map((row) => {
          const item = items[row.index];
          if (!item) return null;
          return (
            <MemoryRow
              key={item.id}
              item={item}
              index={row.index}
              total={total}
              start={row.start - top}
              height={height}
              active={row.index === active && focusRequests > 0}
              selected={selected.has(item.id)}
              canWrite={canWrite}
              select={select}
            />
          );
        })}
      </div>
      {more === "busy" && (
        <Group justify="center" p="md" gap="xs">
          <Loader size="xs" />
          <Text size="sm" c="dimmed">
            Loading more…
          </Text>
        </Group>
      )}
      {typeof more === "object" && (
        <Alert color="red" variant="outline" mt="md" title="Couldn't load more memories">
          <Group>
            <Text size="sm">{errorText(more)}</Text>
            <Button size="xs" variant="default" onClick={loadMore}>
              Try again
            </Button>
          </Group>
        </Alert>
      )}
    </>
  );
}
