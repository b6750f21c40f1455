import { IconChevronRight, IconUsers } from "@tabler/icons-react";
import type { DragEvent } from "react";
import { StatusTag } from "~/parts/Tag";
import { compact, count } from "~/parts/Time";
import { healthOf, told } from "./places";
import type { Line } from "./rows";
import classes from "./map.module.css";
import look from "./health.module.css";

export const lineId = (id: string) => `line-${id}`;

interface Props {
  line: Line;
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
  mayDrop: () => boolean;
  drop: () => void;
  end: () => void;
}

export function TreeLine(props: Props) {
  const { line, start, height, active, selected, dragged, over, movable } = props;
  const { place, children } = line.node;
  const beginDrag = (event: DragEvent) => {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", place.name);
    props.startDrag();
  };
  const dragOver = (event: DragEvent) => {
    props.hover();
    if (!props.mayDrop()) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "move";
  };
  return (
    <div
      id={lineId(place.id)}
      role="treeitem"
      aria-level={line.level}
      aria-posinset={line.place}
      aria-setsize={line.of}
      aria-expanded={line.open}
      aria-selected={selected}
      aria-label={[
        place.name,
        place.state,
        `${count(place.tokens)} tokens`,
        told(place),
        place.projectId === null ? "for the whole team" : "",
      ]
        .filter(Boolean)
        .join(", ")}
      className={classes.line}
      data-active={active || undefined}
      data-selected={selected || undefined}
      data-dragged={dragged || undefined}
      data-over={over || undefined}
      title={`${place.name} (${place.schemaKey}): ${told(place)}`}
      style={{
        height,
        transform: `translateY(${start}px)`,
        paddingInlineStart: `${(line.level - 1) * 0.95 + 0.1}rem`,
      }}
      draggable={movable}
      onClick={props.select}
      onDragStart={beginDrag}
      onDragOver={dragOver}
      onDrop={(event) => {
        event.preventDefault();
        props.drop();
      }}
      onDragEnd={props.end}
    >
      <span
        aria-hidden
        className={classes.chevron}
        data-open={line.open || undefined}
        onClick={(event) => {
          if (line.open === undefined) return;
          event.stopPropagation();
          props.toggle();
        }}
      >
        {line.open !== undefined && <IconChevronRight size={16} />}
      </span>
      <span aria-hidden className={`${look.swatch} ${look[healthOf(place)]}`} />
      <span className={classes.lineName}>{place.name}</span>
      {line.open === false && <span className={classes.lineSize}>({children.length})</span>}
      {place.projectId === null && <IconUsers size={14} aria-hidden className={classes.teamMark} />}
      <span className={classes.lineEnd}>
        {place.state !== "approved" && <StatusTag status={place.state} />}
        <span className={classes.lineSize}>{compact(place.tokens)}</span>
      </span>
    </div>
  );
}
