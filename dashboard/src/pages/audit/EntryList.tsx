import { Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { formatDateTime, RelativeTime } from "~/parts/format";
import classes from "./audit.module.css";
import { describeAction, describeSource, actorName, type Entry } from "./descriptions";

const ROW_PX = 58;

/** Text and lists of names as text; anything else as JSON. */
function formatDetail(value: unknown): string {
  if (typeof value === "string") return value;
  const isTextList = Array.isArray(value) && value.every((part) => typeof part === "string");
  return isTextList ? value.join(", ") : JSON.stringify(value);
}

function Details({ entry, project }: { entry: Entry; project: string }) {
  const rows: [string, string][] = [
    ["Action", entry.action],
    ["Target", entry.target],
    ["Project", project || "none"],
    ["Time", `${formatDateTime(entry.createdAt)} (${entry.createdAt})`],
    ["User ID", entry.actor.userId || "none"],
    ["Request ID", entry.requestId || "none"],
    ...Object.entries(entry.details as Record<string, unknown>).map(
      ([name, value]) => [name, formatDetail(value)] as [string, string],
    ),
  ];
  return (
    <dl className={classes.details}>
      {rows.map(([name, value], index) => (
        <div key={`${name} ${index}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function EntryRow({
  entry,
  project,
  open,
  onToggle,
}: {
  entry: Entry;
  project: string;
  open: boolean;
  onToggle: () => void;
}) {
  return (
    <div className={classes.row}>
      <UnstyledButton className={classes.summary} aria-expanded={open} onClick={onToggle}>
        {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        <span className={classes.description}>
          <b>{actorName(entry)}</b> {describeAction(entry)}
        </span>
        <span className={classes.project}>{project}</span>
        <span className={classes.source}>{describeSource(entry)}</span>
        <span className={classes.time}>
          <RelativeTime at={entry.createdAt} />
        </span>
      </UnstyledButton>
      {open && <Details entry={entry} project={project} />}
    </div>
  );
}

interface EntryListProps {
  entries: Entry[];
  projectName: (projectId: string | null) => string;
  /** Loads older entries near the end of the list; null if there are none. */
  loadMore: (() => void) | null;
}

/** A virtualized list of audit entries. */
export function EntryList({ entries, projectName, loadMore }: EntryListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [scrollMargin, setScrollMargin] = useState(0);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => setScrollMargin(box.current?.offsetTop ?? 0), []);
  const virtualizer = useWindowVirtualizer({
    count: entries.length,
    estimateSize: () => ROW_PX,
    overscan: 10,
    scrollMargin,
    getItemKey: (index) => entries[index]?.id ?? index,
  });
  const visible = virtualizer.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  useEffect(() => {
    if (loadMore && last >= entries.length - 15) loadMore();
  }, [loadMore, last, entries.length]);
  const toggle = (id: string) =>
    setOpen((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  return (
    <div ref={box} className={classes.box}>
      <div
        role="list"
        aria-label="Audit log"
        style={{ height: virtualizer.getTotalSize(), position: "relative" }}
      >
        {visible.map(({ index, key, start }) => {
          const entry = entries[index]!;
          return (
            <div
              key={key}
              role="listitem"
              aria-setsize={loadMore ? -1 : entries.length}
              aria-posinset={index + 1}
              data-index={index}
              ref={virtualizer.measureElement}
              className={classes.item}
              style={{ transform: `translateY(${start - scrollMargin}px)` }}
            >
              <EntryRow
                entry={entry}
                project={projectName(entry.projectId)}
                open={open.has(entry.id)}
                onToggle={() => toggle(entry.id)}
              />
            </div>
          );
        })}
      </div>
      {!loadMore && (
        <Text size="xs" c="dimmed" p="sm" ta="center">
          You've reached the start of the log.
        </Text>
      )}
    </div>
  );
}
