import { Text, Title } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef } from "react";
import { Link } from "wouter";
import type { ItemFlag } from "~/api/types";
import { FlagTags, Tag, TypeTag } from "~/parts/Tag";
import { count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { LAYERS, type Plan, type PlanEntry } from "./plan";
import marks from "./brain.module.css";
import classes from "./shown.module.css";

const HEIGHT = 58;

function Entry({ entry, base }: { entry: PlanEntry; base: string }) {
  const to = entry.kind === "item" ? `${base}/memory/${entry.id}` : `${base}/map/${entry.id}`;
  return (
    <>
      <Link href={to} className={classes.title}>
        {entry.title || "Untitled"}
      </Link>
      <span className={classes.tokens}>
        {entry.state === "left_out" ? "about " : ""}
        {count(entry.tokens)}
      </span>
      <span className={classes.tags}>
        <span className={classes.small}>
          <span aria-hidden className={marks.dot} data-layer={entry.layer} /> {LAYERS[entry.layer].name}
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
  none,
}: {
  name: string;
  about: string;
  entries: PlanEntry[];
  none: string;
}) {
  const base = `/p/${useProject().id}`;
  const box = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => box.current,
    estimateSize: () => HEIGHT,
    getItemKey: (place) => entries[place]?.id ?? place,
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
          <p className={classes.none}>{none}</p>
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
                    style={{ height: HEIGHT, transform: `translateY(${row.start}px)` }}
                  >
                    <Entry entry={entry} base={base} />
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

/** What enters, in the order of the document, and what falls out, the most wanted first. */
export function Entries({ plan }: { plan: Plan }) {
  const taken = plan.entries.filter((entry) => entry.state !== "left_out");
  const out = plan.entries.filter((entry) => entry.state === "left_out");
  const whole = plan.layers.reduce((sum, layer) => sum + layer.taken, 0);
  const left = plan.layers.reduce((sum, layer) => sum + layer.leftOut, 0);
  return (
    <>
      <div className={classes.columns}>
        <Column
          name={`Enters (${count(whole)})`}
          about="In the order of the document, with what each costs"
          entries={taken}
          none="Nothing yet. What people approve enters here."
        />
        <Column
          name={`Falls out (${count(left)})`}
          about="The next to enter first, with about what it would cost"
          entries={out}
          none="Nothing: all that is approved has room."
        />
      </div>
      {plan.more > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {count(plan.more)} more are known and not listed here.
        </Text>
      )}
    </>
  );
}
