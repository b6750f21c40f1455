import { IconCheck } from "@tabler/icons-react";
import { memo, type MouseEvent } from "react";
import { Link } from "wouter";
import type { Item } from "~/api/types";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import { plainText } from "~/parts/plainText";
import classes from "./memory.module.css";

/** The content without a leading repetition of the title. */
function preview(item: Item): string {
  const text = plainText(item.content);
  const title = plainText(item.title);
  const rest = text.startsWith(title) ? text.slice(title.length).replace(/^[\s.;:,]+/, "") : text;
  return rest || item.schemaKey;
}

interface Props {
  item: Item;
  index: number;
  total: number;
  start: number;
  height: number;
  active: boolean;
  selected: boolean;
  canWrite: boolean;
  select: (index: number, range: boolean) => void;
}

/** Memoized, because lists can have thousands of rows. */
export const MemoryRow = memo(function Row(props: Props) {
  const { item, index, total, start, height, active, selected, canWrite, select } = props;
  const selectRange = (event: MouseEvent) => {
    if (!event.shiftKey || !canWrite) return;
    event.preventDefault();
    select(index, true);
  };
  return (
    <div
      role="listitem"
      aria-setsize={total}
      aria-posinset={index + 1}
      className={classes.row}
      data-active={active || undefined}
      data-selected={selected || undefined}
      style={{ height, transform: `translateY(${start}px)` }}
    >
      {canWrite && (
        <button
          type="button"
          role="checkbox"
          aria-checked={selected}
          aria-label={`Select ${item.title}`}
          className={classes.check}
          onClick={(event) => select(index, event.shiftKey)}
        >
          <span className={classes.checkBox}>{selected && <IconCheck size={14} stroke={3} />}</span>
        </button>
      )}
      <div className={classes.rowMain}>
        <Link
          href={`/p/${item.projectId}/memory/${item.id}`}
          className={classes.rowTitle}
          data-row={index}
          onClick={selectRange}
        >
          {item.title}
        </Link>
        <div className={classes.rowText}>{preview(item)}</div>
      </div>
      <div className={classes.rowTags}>
        <FlagTags flags={item.flags} />
        <TypeTag type={item.type} />
        <StatusTag status={item.status} />
      </div>
      <div className={classes.rowTime}>
        <RelativeTime at={item.updatedAt} />
      </div>
    </div>
  );
});
