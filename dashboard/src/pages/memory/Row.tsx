import { IconCheck } from "@tabler/icons-react";
import { memo, type MouseEvent } from "react";
import { Link } from "wouter";
import type { Item } from "~/api/types";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import classes from "./memory.module.css";

/** The beginning of a text without the marks that shape it. */
export function plain(text: string): string {
  return text
    .slice(0, 400)
    .replace(/[`*_#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

/** What a text says beyond its title; many begin with it. */
function beyond(item: Item): string {
  const text = plain(item.content);
  const title = plain(item.title);
  const rest = text.startsWith(title) ? text.slice(title.length).replace(/^[\s.;:,]+/, "") : text;
  return rest || item.schemaKey;
}

interface Props {
  item: Item;
  place: number;
  of: number;
  start: number;
  height: number;
  active: boolean;
  selected: boolean;
  mayWrite: boolean;
  select: (place: number, range: boolean) => void;
}

/** One of ten thousand: it is drawn again only when something about it has changed. */
export const Row = memo(function Row(props: Props) {
  const { item, place, of, start, height, active, selected, mayWrite, select } = props;
  const shift = (event: MouseEvent) => {
    if (!event.shiftKey || !mayWrite) return;
    event.preventDefault();
    select(place, true);
  };
  return (
    <div
      role="listitem"
      aria-setsize={of}
      aria-posinset={place + 1}
      className={classes.row}
      data-active={active || undefined}
      data-selected={selected || undefined}
      style={{ height, transform: `translateY(${start}px)` }}
    >
      {mayWrite && (
        <button
          type="button"
          role="checkbox"
          aria-checked={selected}
          aria-label={`Select ${item.title}`}
          className={classes.check}
          onClick={(event) => select(place, event.shiftKey)}
        >
          <span className={classes.checkBox}>{selected && <IconCheck size={14} stroke={3} />}</span>
        </button>
      )}
      <div className={classes.rowMain}>
        <Link
          href={`/p/${item.projectId}/memory/${item.id}`}
          className={classes.rowTitle}
          data-row={place}
          onClick={shift}
        >
          {item.title}
        </Link>
        <div className={classes.rowText}>{beyond(item)}</div>
      </div>
      <div className={classes.rowTags}>
        <FlagTags flags={item.flags} />
        <TypeTag type={item.type} />
        <StatusTag status={item.status} />
      </div>
      <div className={classes.rowTime}>
        <Time at={item.updatedAt} />
      </div>
    </div>
  );
});
