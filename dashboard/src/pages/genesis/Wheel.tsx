import { useMediaQuery } from "@mantine/hooks";
import { useId, useMemo, useRef, type KeyboardEvent } from "react";
import { amount } from "~/parts/Time";
import classes from "./imports.module.css";
import { layout, RADIUS, type Graph, type Node } from "./wheel";

const HUES = 9;
export const hueOf = (folder: number) => classes[`hue${folder % HUES}`];

interface Props {
  graph: Graph;
  /** The module that is looked at, by its place; -1: none. */
  shown: number;
  picked: number;
  near: ReadonlySet<number>;
  point: (place: number) => void;
  pick: (place: number) => void;
}

function Name({ node }: { node: Node }) {
  const away = RADIUS + 30;
  return (
    <text
      className={classes.nodeName}
      transform={`rotate(${node.turn}) translate(${node.flipped ? -away : away})`}
      textAnchor={node.flipped ? "end" : "start"}
      dominantBaseline="central"
      aria-hidden
    >
      {node.label}
    </text>
  );
}

/** What imports what, as a picture of our own: no forces, no chance. One stop of the Tab key; arrows go round. */
export function Wheel({ graph, shown, picked, near, point, pick }: Props) {
  const { nodes, edges, folders, half } = useMemo(() => layout(graph), [graph]);
  const round = useMemo(
    () =>
      [...nodes].sort(
        (one, other) =>
          ((Math.atan2(one.y, one.x) + 2.5 * Math.PI) % (2 * Math.PI)) -
          ((Math.atan2(other.y, other.x) + 2.5 * Math.PI) % (2 * Math.PI)),
      ),
    [nodes],
  );
  const svg = useRef<SVGSVGElement>(null);
  const help = useId();
  const stop = picked >= 0 ? picked : (round[0]?.place ?? 0);
  const go = (event: KeyboardEvent, place: number) => {
    const here = round.findIndex((node) => node.place === place);
    const ways: Record<string, number> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    const by = ways[event.key];
    if (event.key === "Escape") pick(-1);
    else if (event.key === "Enter" || event.key === " ") pick(place);
    else if (by) {
      const next = round[(here + by + round.length) % round.length]!.place;
      svg.current?.querySelector<SVGGElement>(`[data-place="${next}"]`)?.focus();
    } else return;
    event.preventDefault();
  };
  const quiet = shown >= 0;
  // Without the names, which would be too small to be read there, a phone has room for the wheel itself.
  const narrow = useMediaQuery("(max-width: 36em)", false, { getInitialValueInEffect: false });
  const side = narrow ? RADIUS + 28 : half;
  return (
    <div className={classes.wheelBox}>
      <span id={help} className="said">
        Arrow keys go from module to module. Enter keeps one in view, Escape lets it go.
      </span>
      <svg
        ref={svg}
        className={classes.wheel}
        viewBox={`${-side} ${-side} ${2 * side} ${2 * side}`}
        role="group"
        aria-label="Import graph"
        aria-describedby={help}
        data-quiet={quiet}
        onMouseLeave={() => point(-1)}
      >
        <g aria-hidden>
          {folders.map((folder, place) => (
            <path key={folder.name} d={folder.d} className={`${classes.arc} ${hueOf(place)}`} />
          ))}
          {edges.map(({ from, to, d }) => (
            <path
              key={`${from}-${to}`}
              d={d}
              className={classes.edge}
              data-way={from === shown ? "out" : to === shown ? "in" : undefined}
            />
          ))}
        </g>
        {nodes.map((node) => (
          <g
            key={node.place}
            className={`${classes.node} ${hueOf(node.folder)}`}
            role="button"
            tabIndex={node.place === stop ? 0 : -1}
            aria-pressed={node.place === picked}
            aria-label={`${node.module.path}: imports ${amount(node.module.imports, "module")}, imported by ${node.module.importedBy}`}
            data-place={node.place}
            data-lit={quiet && (node.place === shown || near.has(node.place))}
            data-here={node.place === shown}
            onMouseEnter={() => point(node.place)}
            onFocus={() => point(node.place)}
            onBlur={() => point(-1)}
            onClick={() => pick(node.place)}
            onKeyDown={(event) => go(event, node.place)}
          >
            <title>{node.module.path}</title>
            <circle cx={node.x} cy={node.y} r={node.r + 6} className={classes.reach} />
            <circle cx={node.x} cy={node.y} r={node.r} className={classes.dot} />
            <Name node={node} />
          </g>
        ))}
      </svg>
      <ul className={classes.folders} aria-label="Folders">
        {folders.map((folder, place) => (
          <li key={folder.name}>
            <span className={`${classes.swatch} ${hueOf(place)}`} aria-hidden />
            <code>
              {folder.name === "" ? "top folder" : folder.name === "…" ? "others" : `${folder.name}/`}
            </code>
            <small>{folder.modules}</small>
          </li>
        ))}
      </ul>
    </div>
  );
}
