import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { pathTo, moveError, type Node, type Tree as ContextTree } from "./contextTree";
import { initiallyCollapsed, listVisibleNodes } from "./visibleNodes";
import { rowId, TreeRow } from "./TreeRow";
import classes from "./map.module.css";

interface Props {
  tree: ContextTree;
  selected: string | null;
  select: (id: string) => void;
  canMove: (node: Node) => boolean;
  move: (node: Node, target: Node | null) => void;
}

const ROW_HEIGHT = 38;
/** Keys pressed within this time extend the type-ahead prefix. */
const TYPE_AHEAD_MS = 600;
/** Time to hover over a collapsed context while dragging before it expands. */
const EXPAND_DELAY_MS = 600;

export function Tree({ tree, selected, select, canMove, move }: Props) {
  const [closed, setClosed] = useState(() => initiallyCollapsed(tree.byId.values(), tree.byId.size));
  const [filter, setFilter] = useState("");
  const [active, setActive] = useState<string | null>(selected);
  const [dragged, setDragged] = useState<Node | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const typed = useRef({ word: "", at: 0 });
  const expandTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const rows = useMemo(() => listVisibleNodes(tree.roots, closed, filter), [tree, closed, filter]);
  const activeIndex = Math.max(
    0,
    rows.findIndex((line) => line.node.context.id === active),
  );
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => rows[index]?.node.context.id ?? index,
    overscan: 10,
  });
  const toggle = (id: string, open: boolean) =>
    setClosed((before) => {
      const now = new Set(before);
      if (open) now.delete(id);
      else now.add(id);
      return now;
    });
  const goTo = (index: number) => {
    const line = rows[Math.max(0, Math.min(rows.length - 1, index))];
    if (!line) return;
    setActive(line.node.context.id);
    virtualizer.scrollToIndex(rows.indexOf(line), { align: "auto" });
  };
  // Reveal a context that was selected elsewhere, e.g. in the treemap.
  useEffect(() => {
    const node = selected ? tree.byId.get(selected) : undefined;
    if (!node) return;
    setActive(node.context.id);
    const ancestors = pathTo(node).slice(0, -1);
    setClosed((before) =>
      ancestors.some(({ context }) => before.has(context.id))
        ? new Set([...before].filter((id) => !ancestors.some(({ context }) => context.id === id)))
        : before,
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);
  const selectedIndex = rows.findIndex((line) => line.node.context.id === selected);
  useEffect(() => {
    if (selectedIndex >= 0) virtualizer.scrollToIndex(selectedIndex, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected, selectedIndex >= 0]);
  const typeAhead = (letter: string) => {
    const now = Date.now();
    const word = (now - typed.current.at < TYPE_AHEAD_MS ? typed.current.word : "") + letter.toLowerCase();
    typed.current = { word, at: now };
    const first = word.length === 1 ? activeIndex + 1 : activeIndex;
    const order = [...rows.slice(first), ...rows.slice(0, first)];
    const found = order.find((line) => line.node.context.name.toLowerCase().startsWith(word));
    if (found) goTo(rows.indexOf(found));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const line = rows[activeIndex];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const { id } = line.node.context;
    const keys: Record<string, () => void> = {
      ArrowDown: () => goTo(activeIndex + 1),
      ArrowUp: () => goTo(activeIndex - 1),
      Home: () => goTo(0),
      End: () => goTo(rows.length - 1),
      PageDown: () => goTo(activeIndex + 10),
      PageUp: () => goTo(activeIndex - 10),
      ArrowRight: () => (line.open === false ? toggle(id, true) : line.open && goTo(activeIndex + 1)),
      ArrowLeft: () => {
        if (line.open && !filter) return toggle(id, false);
        const parentIndex = rows.findIndex(({ node }) => node === line.node.parent);
        if (parentIndex >= 0) goTo(parentIndex);
      },
      Enter: () => select(id),
      " ": () => select(id),
    };
    const act = keys[event.key];
    if (act) act();
    else if (event.key.length === 1) typeAhead(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const canDrop = (target: Node | null) => dragged !== null && moveError(dragged, target) === null;
  const hover = (target: Node | null) => {
    const id = target?.context.id ?? "top";
    if (id === over) return;
    setOver(id);
    clearTimeout(expandTimer.current);
    if (target && closed.has(target.context.id))
      expandTimer.current = setTimeout(() => toggle(target.context.id, true), EXPAND_DELAY_MS);
  };
  const endDrag = () => {
    clearTimeout(expandTimer.current);
    setDragged(null);
    setOver(null);
  };
  const drop = (target: Node | null) => {
    if (dragged && canDrop(target)) move(dragged, target);
    endDrag();
  };
  return (
    <div className={classes.treePane}>
      <TextInput
        aria-label="Find a context"
        placeholder="Find a context"
        leftSection={<IconSearch size={16} />}
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") box.current?.focus();
        }}
        rightSection={
          filter && <CloseButton size="sm" aria-label="Clear search" onClick={() => setFilter("")} />
        }
      />
      <div
        ref={box}
        role="tree"
        aria-label="Contexts"
        tabIndex={0}
        className={classes.tree}
        aria-activedescendant={rows[activeIndex] ? rowId(rows[activeIndex].node.context.id) : undefined}
        onKeyDown={onKeyDown}
      >
        <div role="none" className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((row) => {
            const line = rows[row.index];
            if (!line) return null;
            const { node } = line;
            const { id } = node.context;
            return (
              <TreeRow
                key={id}
                row={line}
                start={row.start}
                height={ROW_HEIGHT}
                active={row.index === activeIndex}
                selected={id === selected}
                dragged={dragged === node}
                over={over === id && canDrop(node)}
                movable={canMove(node)}
                select={() => {
                  setActive(id);
                  select(id);
                }}
                toggle={() => toggle(id, !line.open)}
                startDrag={() => setTimeout(() => setDragged(node))}
                hover={() => hover(node)}
                canDrop={() => canDrop(node)}
                drop={() => drop(node)}
                endDrag={endDrag}
              />
            );
          })}
        </div>
        {rows.length === 0 && <p className={classes.emptyText}>No context matches that name or key.</p>}
      </div>
      {dragged && canDrop(null) && (
        <div
          className={classes.topDrop}
          data-over={over === "top" || undefined}
          onDragOver={(event) => {
            event.preventDefault();
            hover(null);
          }}
          onDrop={(event) => {
            event.preventDefault();
            drop(null);
          }}
        >
          Drop here to move to the top level
        </div>
      )}
    </div>
  );
}
