import { useMediaQuery } from "@mantine/hooks";
import { useId, useMemo, useRef, type KeyboardEvent } from "react";
import { pluralize } from "~/parts/format";
import classes from "./imports.module.css";
import { layout, RADIUS, type Graph, type Node } from "./graphLayout";

const HUE_COUNT = 9;
export const hueClass = (folder: number) => classes[`hue${folder % HUE_COUNT}`];

interface Props {
  graph: Graph;
  /** Index of the module to highlight, or -1. */
  shown: number;
  selected: number;
  neighbors: ReadonlySet<number>;
  hover: (index: number) => void;
  select: (index: number) => void;
}

function NodeLabel({ node }: { node: Node }) {
  const distance = RADIUS + 30;
  return (
    <text
      className={classes.nodeName}
      transform={`rotate(${node.rotation}) translate(${node.flipped ? -distance : distance})`}
      textAnchor={node.flipped ? "end" : "start"}
      dominantBaseline="central"
      aria-hidden
    >
      {node.label}
    </text>
  );
}

/** A circular import graph with a deterministic layout. It is one tab stop; arrow keys move between modules. */
export function ImportGraph({ graph, shown, selected, neighbors, hover, select }: Props) {
  const { nodes, edges, folders, extent } = useMemo(() => layout(graph), [graph]);
  const byAngle = useMemo(
    () =>
      [...nodes].sort(
        (a, b) =>
          ((Math.atan2(a.y, a.x) + 2.5 * Math.PI) % (2 * Math.PI)) -
          ((Math.atan2(b.y, b.x) + 2.5 * Math.PI) % (2 * Math.PI)),
      ),
    [nodes],
  );
  const svg = useRef<SVGSVGElement>(null);
  const helpId = useId();
  const tabStop = selected >= 0 ? selected : (byAngle[0]?.index ?? 0);
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const here = byAngle.findIndex((node) => node.index === index);
    const steps: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const by = steps[event.key];
    if (event.key === "Escape") select(-1);
    else if (event.key === "Enter" || event.key === " ") select(index);
    else if (by) {
      const next = byAngle[(here + by + byAngle.length) % byAngle.length]!.index;
      svg.current?.querySelector<SVGGElement>(`[data-index="${next}"]`)?.focus();
    } else return;
    event.preventDefault();
  };
  const dimmed = shown >= 0;
  // Phones have no room for labels, so the view box covers only the circle.
  const narrow = useMediaQuery("(max-width: 36em)", false, { getInitialValueInEffect: false });
  const side = narrow ? RADIUS + 28 : extent;
  return (
    <div className={classes.graphBox}>
      <span id={helpId} className="visually-hidden">
        Use the arrow keys to move between modules, Enter to select one, and Escape to clear the selection.
      </span>
      <svg
        ref={svg}
        className={classes.svg}
        viewBox={`${-side} ${-side} ${2 * side} ${2 * side}`}
        role="group"
        aria-label="Import graph"
        aria-describedby={helpId}
        data-dimmed={dimmed}
        onMouseLeave={() => hover(-1)}
      >
        <g aria-hidden>
          {folders.map((folder, index) => (
            <path key={folder.name} d={folder.d} className={`${classes.arc} ${hueClass(index)}`} />
          ))}
          {edges.map(({ from, to, d }) => (
            <path
              key={`${from}-${to}`}
              d={d}
              className={classes.edge}
              data-direction={from === shown ? "out" : to === shown ? "in" : undefined}
            />
          ))}
        </g>
        {nodes.map((node) => (
          <g
            key={node.index}
            className={`${classes.node} ${hueClass(node.folder)}`}
            role="button"
            tabIndex={node.index === tabStop ? 0 : -1}
            aria-pressed={node.index === selected}
            aria-label={`${node.module.path}: imports ${pluralize(node.module.imports, "module")}, imported by ${node.module.importedBy}`}
            data-index={node.index}
            data-highlighted={dimmed && (node.index === shown || neighbors.has(node.index))}
            data-current={node.index === shown}
            onMouseEnter={() => hover(node.index)}
            onFocus={() => hover(node.index)}
            onBlur={() => hover(-1)}
            onClick={() => select(node.index)}
            onKeyDown={(event) => onKeyDown(event, node.index)}
          >
            <title>{node.module.path}</title>
            <circle cx={node.x} cy={node.y} r={node.r + 6} className={classes.hitArea} />
            <circle cx={node.x} cy={node.y} r={node.r} className={classes.dot} />
            <NodeLabel node={node} />
          </g>
        ))}
      </svg>
      <ul className={classes.folders} aria-label="Folders">
        {folders.map((folder, index) => (
          <li key={folder.name}>
            <span className={`${classes.swatch} ${hueClass(index)}`} aria-hidden />
            <code>{folder.name === "" ? "root" : folder.name === "…" ? "other" : `${folder.name}/`}</code>
            <small>{folder.modules}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
