import { Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { dateTime, Time } from "~/parts/Time";
import classes from "./audit.module.css";
import { what, where, who, type Entry } from "./words";

const ROW_PX = 58;

/** A list of names as one reads it; anything else as it was written down. */
function shown(value: unknown): string {
  if (typeof value === "string") return value;
  const names = Array.isArray(value) && value.every((one) => typeof one === "string");
  return names ? value.join(", ") : JSON.stringify(value);
}

function Details({ entry, project }: { entry: Entry; project: string }) {
  const facts: [string, string][] = [
    ["Action", entry.action],
    ["Target", entry.target],
    ["Project", project || "none"],
    ["Time", `${dateTime(entry.createdAt)} (${entry.createdAt})`],
    ["User id", entry.actor.userId || "none"],
    ["Request id", entry.requestId || "none"],
    ...Object.entries(entry.detail as Record<string, unknown>).map(
      ([name, value]) => [name, shown(value)] as [string, string],
    ),
  ];
  return (
    <dl className={classes.details}>
      {facts.map(([name, value], place) => (
        <div key={`${name} ${place}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Row({
  entry,
  project,
  open,
  turn,
}: {
  entry: Entry;
  project: string;
  open: boolean;
  turn: () => void;
}) {
  return (
    <div className={classes.row}>
      <UnstyledButton className={classes.line} aria-expanded={open} onClick={turn}>
        {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        <span className={classes.what}>
          <b>{who(entry)}</b> {what(entry)}
        </span>
        <span className={classes.on}>{project}</span>
        <span className={classes.where}>{where(entry)}</span>
        <span className={classes.when}>
          <Time at={entry.createdAt} />
        </span>
      </UnstyledButton>
      {open && <Details entry={entry} project={project} />}
    </div>
  );
}

interface Given {
  entries: Entry[];
  nameOf: (projectId: string | null) => string;
  /** Asked for when the end comes near. */
  more: (() => void) | null;
}

/** Thousands of entries; only those in sight are there. */
export function Rows({ entries, nameOf, more }: Given) {
  const box = useRef<HTMLDivElement>(null);
  const [above, setAbove] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => setAbove(box.current?.offsetTop ?? 0), []);
  const rows = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin: above,
    getItemKey: (place) => entries[place]?.id ?? place,
  });
  const shown = rows.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (more && last >= entries.length - 15) more();
  }, [more, last, entries.length]);
  const turn = (id: string) =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <div ref={box} className={classes.box}>
      <div role="list" aria-label="Audit log" style={{ height: rows.getTotalSize(), position: "relative" }}>
        {shown.map(({ index, key, start }) => {
          const entry = entries[index]!;
          return (
            <div
              key={key}
              role="listitem"
              aria-setsize={more ? -1 : entries.length}
              aria-posinset={index + 1}
              data-index={index}
              ref={rows.measureElement}
              className={classes.place}
              style={{ transform: `translateY(${start - above}px)` }}
            >
              <Row
                entry={entry}
                project={nameOf(entry.projectId)}
                open={open.has(entry.id)}
                turn={() => turn(entry.id)}
              />
            </div>
          );
        })}
      </div>
      {!more && (
        <Text size="xs" c="dimmed" p="sm" ta="center">
          This is where the log begins.
        </Text>
      )}
    </div>
  );
}
