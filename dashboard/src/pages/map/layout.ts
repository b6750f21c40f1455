import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { healthOf, worst, type Health, type Node } from "./places";

/** A field of the picture. */
export interface Cell {
  key: string;
  /** None stands for many that are too small. */
  node: Node | null;
  kind: "group" | "leaf" | "own" | "rest";
  health: Health;
  x: number;
  y: number;
  width: number;
  height: number;
  /** How many are within that are not drawn. */
  within: number;
}

interface Datum {
  node: Node | null;
  kind: Cell["kind"];
  value: number;
  within: number;
  children?: Datum[];
}

/** Levels that are drawn at once; one looks into a field for more. */
const LEVELS = 3;
/** Fields within one other that can still be told apart. */
const MOST = 40;
/** What is smaller than this has no room for others within. */
const LEAST_WIDTH = 96;
const LEAST_HEIGHT = 72;
const HEAD = 26;
/** Even an empty one gets so much of an average share. */
const SHARE = 5;

function leaf(node: Node): Datum {
  return { node, kind: "leaf", value: node.tokens, within: node.below };
}

function filled(node: Node | null, nodes: Node[], level: number): Datum[] {
  const sorted = nodes.toSorted((one, other) => other.tokens - one.tokens);
  const drawn = sorted.slice(0, sorted.length > MOST ? MOST - 1 : MOST);
  const rest = sorted.slice(drawn.length);
  const data = drawn.map((one) =>
    one.children.length > 0 && level < LEVELS
      ? { ...leaf(one), kind: "group" as const, value: 0, children: filled(one, one.children, level + 1) }
      : leaf(one),
  );
  if (node && node.place.tokens > 0) data.push({ node, kind: "own", value: node.place.tokens, within: 0 });
  if (rest.length > 0) {
    const value = rest.reduce((sum, one) => sum + one.tokens, 0);
    data.push({ node: null, kind: "rest", value, within: rest.reduce((sum, one) => sum + 1 + one.below, 0) });
  }
  return data;
}

/** Fields for all that stands below a context (or for everything), as large as their texts are. */
export function layout(top: Node[], shown: Node | null, width: number, height: number): Cell[] {
  if (width < 10 || height < 10) return [];
  const data = filled(shown, shown ? shown.children : top, 1);
  const root = hierarchy<Datum>({ node: shown, kind: "group", value: 0, within: 0, children: data });
  const leaves = root.leaves();
  const whole = leaves.reduce((sum, one) => sum + one.data.value, 0);
  const least = Math.max(1, whole / leaves.length / SHARE);
  root.sum((one) => (one.children ? 0 : Math.max(one.value, least)));
  root.sort((one, other) => (other.value ?? 0) - (one.value ?? 0));
  const placed = treemap<Datum>()
    .tile(treemapSquarify.ratio(1.3))
    .size([width, height])
    .round(true)
    .paddingInner(3)
    .paddingOuter((one) => (one.depth === 0 ? 0 : 5))
    .paddingTop((one) => (one.depth === 0 ? 0 : HEAD))(root);
  const cells: Cell[] = [];
  const draw = (one: typeof placed) => {
    const { node, kind, within } = one.data;
    const box = { x: one.x0, y: one.y0, width: one.x1 - one.x0, height: one.y1 - one.y0 };
    const tight = kind === "group" && (box.width < LEAST_WIDTH || box.height < LEAST_HEIGHT);
    const shape = tight ? "leaf" : kind;
    const health = !node ? "unused" : shape === "leaf" ? worst(node) : healthOf(node.place);
    const key = `${kind === "own" ? "own-" : ""}${node?.place.id ?? `rest-${one.parent?.data.node?.place.id ?? ""}`}`;
    if (box.width > 1 && box.height > 1) cells.push({ key, node, kind: shape, health, within, ...box });
    if (shape === "group") one.children?.forEach(draw);
  };
  placed.children?.forEach(draw);
  return cells;
}

const middle = (cell: Cell) => ({
  x: cell.x + cell.width / 2,
  // A group is where its name is.
  y: cell.kind === "group" ? cell.y + HEAD / 2 : cell.y + cell.height / 2,
});

const WAYS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The next field in the direction of an arrow. */
export function neighbour(cells: Cell[], from: Cell, key: string): Cell | undefined {
  const way = WAYS[key];
  if (!way) return undefined;
  const here = middle(from);
  let best: Cell | undefined;
  let least = Infinity;
  for (const cell of cells) {
    if (cell === from) continue;
    const there = middle(cell);
    const along = (there.x - here.x) * way[0] + (there.y - here.y) * way[1];
    const across = Math.abs((there.x - here.x) * way[1]) + Math.abs((there.y - here.y) * way[0]);
    const far = along + 2 * across;
    if (along > 1 && far < least) {
      least = far;
      best = cell;
    }
  }
  return best;
}
