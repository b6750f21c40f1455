import { IconChevronRight, IconUsers } from "@tabler/icons-react";
import type { DragEvent } from "react";
import { StatusTag } from "~/parts/Tag";
import { formatCompact, formatNumber } from "~/parts/format";
import { healthOf, describeHealth } from "./contextTree";
import type { VisibleNode } from "./visibleNodes";
import classes from "./map.module.css";
import healthClasses from "./health.module.css";

export const rowId = (id: string) => `line-${id}`;

interface Props {
  row: VisibleNode;
  start: number;
  height: number;
  active: boolean;
  selected: boolean;
  dragged: boolean;
  over: boolean;
  movable: boolean;
  select: () => void;
  toggle: () => void;
  startDrag: () => void;
  hover: () => void;
  canDrop: () => boolean;
  drop: () => void;
  endDrag: () => void;
}

export function TreeRow(props: Props) {
  const { row, start, height, active, selected, dragged, over, movable } = props;
  const { context, children } = row.node;
  const onDragStart = (event: DragEvent) => {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", context.name);
    props.startDrag();
  };
  const onDragOver = (event: DragEvent) => {
    props.hover();
    if (!props.canDrop()) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };
  return (
    <div
      id={rowId(context.id)}
      role="treeitem"
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.open}
      aria-selected={selected}
      aria-label={[
        context.name,
        context.state,
        `${formatNumber(context.tokens)} tokens`,
        describeHealth(context),
        context.projectId === null ? "for the whole team" : "",
      ]
        .filter(Boolean)
        .join(", ")}
      className={classes.row}
      data-active={active || undefined}
      data-selected={selected || undefined}
      data-dragged={dragged || undefined}
      data-over={over || undefined}
      title={`${context.name} (${context.schemaKey}): ${describeHealth(context)}`}
      style={{
        height,
        transform: `translateY(${start}px)`,
        paddingInlineStart: `${(row.level - 1) * 0.95 + 0.1}rem`,
      }}
      draggable={movable}
      onClick={props.select}
      onDragStart={onDragStart}
      onDragOver={onDragOver}
      onDrop={(event) => {
        event.preventDefault();
        props.drop();
      }}
      onDragEnd={props.endDrag}
    >
      <span
        aria-hidden
        className={classes.chevron}
        data-open={row.open || undefined}
        onClick={(event) => {
          if (row.open === undefined) return;
          event.stopPropagation();
          props.toggle();
        }}
      >
        {row.open !== undefined && <IconChevronRight size={16} />}
      </span>
      <span aria-hidden className={`${healthClasses.swatch} ${healthClasses[healthOf(context)]}`} />
      <span className={classes.rowName}>{context.name}</span>
      {row.open === false && <span className={classes.rowSize}>({children.length})</span>}
      {context.projectId === null && <IconUsers size={14} aria-hidden className={classes.teamMark} />}
      <span className={classes.rowEnd}>
        {context.state !== "approved" && <StatusTag status={context.state} />}
        <span className={classes.rowSize}>{formatCompact(context.tokens)}</span>
      </span>
    </div>
  );
}
