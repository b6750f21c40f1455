import { Text, Title } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Link } from "wouter";
import type { ItemFlag } from "~/api/types";
import { FlagTags, Tag, TypeTag } from "~/parts/Tag";
import { formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import { LAYERS, type Plan, type PlanEntry } from "./plan";
import brainClasses from "./brain.module.css";
import classes from "./tabs.module.css";

const ROW_HEIGHT = 58;

function EntryRow({ entry, base }: { entry: PlanEntry; base: string }) {
  const to = entry.kind === "item" ? `${base}/memory/${entry.id}` : `${base}/map/${entry.id}`;
  return (
    <>
      <Link href={to} className={classes.title}>
        {entry.title || "Untitled"}
      </Link>
      <span className={classes.tokens}>
        {entry.state === "omitted" ? "~" : ""}
        {formatNumber(entry.tokens)}
      </span>
      <span className={classes.tags}>
        <span className={classes.small}>
          <span aria-hidden className={brainClasses.dot} data-layer={entry.layer} />{" "}
          {LAYERS[entry.layer].name}
        </span>
        {entry.kind === "context" ? <Tag>context</Tag> : <TypeTag type={entry.type} />}
        {entry.state === "shortened" && <Tag tone="warn">shortened</Tag>}
        <FlagTags flags={entry.flags as ItemFlag[]} />
      </span>
    </>
  );
}

function Column({
  name,
  about,
  entries,
  emptyText,
}: {
  name: string;
  about: string;
  entries: PlanEntry[];
  emptyText: string;
}) {
  const base = `/p/${useProject().id}`;
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_HEIGHT,
    getItemKey: (index) => entries[index]?.id ?? index,
    overscan: 8,
  });
  return (
    <section className={classes.column} aria-label={name}>
      <Title order={3} className={classes.columnName}>
        {name}
      </Title>
      <Text size="xs" c="dimmed" mb="xs">
        {about}
      </Text>
      <div ref={box} className={classes.list} tabIndex={0} role="region" aria-label={`List: ${name}`}>
        {entries.length === 0 ? (
          <p className={classes.emptyText}>{emptyText}</p>
        ) : (
          <ul className={classes.rows} style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((row) => {
              const entry = entries[row.index];
              return (
                entry && (
                  <li
                    key={entry.id}
                    className={classes.row}
                    aria-posinset={row.index + 1}
                    aria-setsize={entries.length}
                    style={{ height: ROW_HEIGHT, transform: `translateY(${row.start}px)` }}
                  >
                    <EntryRow entry={entry} base={base} />
                  </li>
                )
              );
            })}
          </ul>
        )}
      </div>
    </section>
  );
}

/** Included items in document order, and left-out items, highest priority first. */
export function Entries({ plan }: { plan: Plan }) {
  const included = plan.entries.filter((entry) => entry.state !== "omitted");
  const leftOut = plan.entries.filter((entry) => entry.state === "omitted");
  const includedCount = plan.layers.reduce((sum, layer) => sum + layer.included, 0);
  const leftOutCount = plan.layers.reduce((sum, layer) => sum + layer.omitted, 0);
  return (
    <>
      <div className={classes.columns}>
        <Column
          name={`Included (${formatNumber(includedCount)})`}
          about="In document order, with token counts"
          entries={included}
          emptyText="No items included. Approve memories or raise the budget."
        />
        <Column
          name={`Left out (${formatNumber(leftOutCount)})`}
          about="Highest priority first, with estimated token counts"
          entries={leftOut}
          emptyText="Everything approved fits the budget."
        />
      </div>
      {plan.remaining > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {formatNumber(plan.remaining)} more not shown.
        </Text>
      )}
    </>
  );
}
