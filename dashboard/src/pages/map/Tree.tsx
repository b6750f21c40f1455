import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { pathTo, refusal, type Node, type Tree as Whole } from "./places";
import { closedAtFirst, linesOf } from "./rows";
import { lineId, TreeLine } from "./TreeLine";
import classes from "./map.module.css";

interface Props {
  tree: Whole;
  selected: string | null;
  select: (id: string) => void;
  mayMove: (node: Node) => boolean;
  move: (node: Node, target: Node | null) => void;
}

const HEIGHT = 38;
/** Letters that are typed within this time are one word. */
const TYPING_MS = 600;
/** So long one has to rest above a closed context, dragging, until it opens. */
const OPENS_MS = 600;

export function Tree({ tree, selected, select, mayMove, move }: Props) {
  const [closed, setClosed] = useState(() => closedAtFirst(tree.byId.values(), tree.byId.size));
  const [words, setWords] = useState("");
  const [active, setActive] = useState<string | null>(selected);
  const [dragged, setDragged] = useState<Node | null>(null);
  const [over, setOver] = useState<string | null>(null);
  const box = useRef<HTMLDivElement>(null);
  const typed = useRef({ word: "", at: 0 });
  const opening = useRef<ReturnType<typeof setTimeout>>(undefined);
  const lines = useMemo(() => linesOf(tree.top, closed, words), [tree, closed, words]);
  const at = Math.max(
    0,
    lines.findIndex((line) => line.node.place.id === active),
  );
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => HEIGHT,
    getItemKey: (place) => lines[place]?.node.place.id ?? place,
    overscan: 10,
  });
  const toggle = (id: string, open: boolean) =>
    setClosed((before) => {
      const now = new Set(before);
      if (open) now.delete(id);
      else now.add(id);
      return now;
    });
  const goTo = (place: number) => {
    const line = lines[Math.max(0, Math.min(lines.length - 1, place))];
    if (!line) return;
    setActive(line.node.place.id);
    rows.scrollToIndex(lines.indexOf(line), { align: "auto" });
  };
  // One that was chosen elsewhere, such as in the picture, is shown here too.
  useEffect(() => {
    const node = selected ? tree.byId.get(selected) : undefined;
    if (!node) return;
    setActive(node.place.id);
    const above = pathTo(node).slice(0, -1);
    setClosed((before) =>
      above.some((one) => before.has(one.place.id))
        ? new Set([...before].filter((id) => !above.some((one) => one.place.id === id)))
        : before,
    );
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected]);
  const shownAt = lines.findIndex((line) => line.node.place.id === selected);
  useEffect(() => {
    if (shownAt >= 0) rows.scrollToIndex(shownAt, { align: "auto" });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [selected, shownAt >= 0]);
  const typeAhead = (letter: string) => {
    const now = Date.now();
    const word = (now - typed.current.at < TYPING_MS ? typed.current.word : "") + letter.toLowerCase();
    typed.current = { word, at: now };
    const first = word.length === 1 ? at + 1 : at;
    const order = [...lines.slice(first), ...lines.slice(0, first)];
    const found = order.find((line) => line.node.place.name.toLowerCase().startsWith(word));
    if (found) goTo(lines.indexOf(found));
  };
  const press = (event: KeyboardEvent) => {
    const line = lines[at];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const { id } = line.node.place;
    const keys: Record<string, () => void> = {
      ArrowDown: () => goTo(at + 1),
      ArrowUp: () => goTo(at - 1),
      Home: () => goTo(0),
      End: () => goTo(lines.length - 1),
      PageDown: () => goTo(at + 10),
      PageUp: () => goTo(at - 10),
      ArrowRight: () => (line.open === false ? toggle(id, true) : line.open && goTo(at + 1)),
      ArrowLeft: () => {
        if (line.open && !words) return toggle(id, false);
        const above = lines.findIndex((one) => one.node === line.node.above);
        if (above >= 0) goTo(above);
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
  const mayDrop = (target: Node | null) => dragged !== null && refusal(dragged, target) === null;
  const hover = (target: Node | null) => {
    const id = target?.place.id ?? "top";
    if (id === over) return;
    setOver(id);
    clearTimeout(opening.current);
    if (target && closed.has(target.place.id))
      opening.current = setTimeout(() => toggle(target.place.id, true), OPENS_MS);
  };
  const end = () => {
    clearTimeout(opening.current);
    setDragged(null);
    setOver(null);
  };
  const drop = (target: Node | null) => {
    if (dragged && mayDrop(target)) move(dragged, target);
    end();
  };
  return (
    <div className={classes.treePane}>
      <TextInput
        aria-label="Find a context"
        placeholder="Find a context"
        leftSection={<IconSearch size={16} />}
        value={words}
        onChange={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") box.current?.focus();
        }}
        rightSection={words && <CloseButton size="sm" aria-label="Show all" onClick={() => setWords("")} />}
      />
      <div
        ref={box}
        role="tree"
        aria-label="Contexts"
        tabIndex={0}
        className={classes.tree}
        aria-activedescendant={lines[at] ? lineId(lines[at].node.place.id) : undefined}
        onKeyDown={press}
      >
        <div role="none" className={classes.lines} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((row) => {
            const line = lines[row.index];
            if (!line) return null;
            const { node } = line;
            const { id } = node.place;
            return (
              <TreeLine
                key={id}
                line={line}
                start={row.start}
                height={HEIGHT}
                active={row.index === at}
                selected={id === selected}
                dragged={dragged === node}
                over={over === id && mayDrop(node)}
                movable={mayMove(node)}
                select={() => {
                  setActive(id);
                  select(id);
                }}
                toggle={() => toggle(id, !line.open)}
                startDrag={() => setTimeout(() => setDragged(node))}
                hover={() => hover(node)}
                mayDrop={() => mayDrop(node)}
                drop={() => drop(node)}
                end={end}
              />
            );
          })}
        </div>
        {lines.length === 0 && (
          <p className={classes.nothing}>No context is called so, nor has such a key.</p>
        )}
      </div>
      {dragged && mayDrop(null) && (
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
          Drop here for the top
        </div>
      )}
    </div>
  );
}
