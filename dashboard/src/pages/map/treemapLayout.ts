import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { healthOf, worstHealth, type Health, type Node } from "./contextTree";

export interface Cell {
  key: string;
  /** Null for the cell that stands for contexts too small to draw. */
  node: Node | null;
  kind: "group" | "leaf" | "own" | "rest";
  health: Health;
  x: number;
  y: number;
  width: number;
  height: number;
  /** Number of descendants that are not drawn. */
  nested: number;
}

interface Datum {
  node: Node | null;
  kind: Cell["kind"];
  value: number;
  nested: number;
  children?: Datum[];
}

/** Levels drawn at once; zoom in to see deeper ones. */
const MAX_LEVELS = 3;
/** Cells per group. */
const MAX_CELLS = 40;
/** Smaller groups are drawn as a single cell. */
const MIN_GROUP_WIDTH = 96;
const MIN_GROUP_HEIGHT = 72;
const HEADER_HEIGHT = 26;
/** Empty contexts get this fraction of the average cell size. */
const MIN_SHARE_DIVISOR = 5;

function leaf(node: Node): Datum {
  return { node, kind: "leaf", value: node.tokens, nested: node.descendants };
}

function cellData(node: Node | null, nodes: Node[], level: number): Datum[] {
  const sorted = nodes.toSorted((a, b) => b.tokens - a.tokens);
  const drawn = sorted.slice(0, sorted.length > MAX_CELLS ? MAX_CELLS - 1 : MAX_CELLS);
  const rest = sorted.slice(drawn.length);
  const data = drawn.map((child) =>
    child.children.length > 0 && level < MAX_LEVELS
      ? {
          ...leaf(child),
          kind: "group" as const,
          value: 0,
          children: cellData(child, child.children, level + 1),
        }
      : leaf(child),
  );
  if (node && node.context.tokens > 0)
    data.push({ node, kind: "own", value: node.context.tokens, nested: 0 });
  if (rest.length > 0) {
    const value = rest.reduce((sum, child) => sum + child.tokens, 0);
    data.push({
      node: null,
      kind: "rest",
      value,
      nested: rest.reduce((sum, child) => sum + 1 + child.descendants, 0),
    });
  }
  return data;
}

/** Cells for the descendants of a context (or for the whole tree), sized by token count. */
export function layout(roots: Node[], shown: Node | null, width: number, height: number): Cell[] {
  if (width < 10 || height < 10) return [];
  const data = cellData(shown, shown ? shown.children : roots, 1);
  const root = hierarchy<Datum>({ node: shown, kind: "group", value: 0, nested: 0, children: data });
  const leaves = root.leaves();
  const total = leaves.reduce((sum, node) => sum + node.data.value, 0);
  const minValue = Math.max(1, total / leaves.length / MIN_SHARE_DIVISOR);
  root.sum((datum) => (datum.children ? 0 : Math.max(datum.value, minValue)));
  root.sort((a, b) => (b.value ?? 0) - (a.value ?? 0));
  const placed = treemap<Datum>()
    .tile(treemapSquarify.ratio(1.3))
    .size([width, height])
    .round(true)
    .paddingInner(3)
    .paddingOuter(({ depth }) => (depth === 0 ? 0 : 5))
    .paddingTop(({ depth }) => (depth === 0 ? 0 : HEADER_HEIGHT))(root);
  const cells: Cell[] = [];
  const draw = (rect: typeof placed) => {
    const { node, kind, nested } = rect.data;
    const box = { x: rect.x0, y: rect.y0, width: rect.x1 - rect.x0, height: rect.y1 - rect.y0 };
    const tight = kind === "group" && (box.width < MIN_GROUP_WIDTH || box.height < MIN_GROUP_HEIGHT);
    const shape = tight ? "leaf" : kind;
    const health = !node ? "unused" : shape === "leaf" ? worstHealth(node) : healthOf(node.context);
    const key = `${kind === "own" ? "own-" : ""}${node?.context.id ?? `rest-${rect.parent?.data.node?.context.id ?? ""}`}`;
    if (box.width > 1 && box.height > 1) cells.push({ key, node, kind: shape, health, nested, ...box });
    if (shape === "group") rect.children?.forEach(draw);
  };
  placed.children?.forEach(draw);
  return cells;
}

const center = (cell: Cell) => ({
  x: cell.x + cell.width / 2,
  // A group is reached through its header.
  y: cell.kind === "group" ? cell.y + HEADER_HEIGHT / 2 : cell.y + cell.height / 2,
});

const DIRECTIONS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The nearest cell in the direction of an arrow key. */
export function neighborCell(cells: Cell[], from: Cell, key: string): Cell | undefined {
  const direction = DIRECTIONS[key];
  if (!direction) return undefined;
  const here = center(from);
  let best: Cell | undefined;
  let nearest = Infinity;
  for (const cell of cells) {
    if (cell === from) continue;
    const there = center(cell);
    const along = (there.x - here.x) * direction[0] + (there.y - here.y) * direction[1];
    const across = Math.abs((there.x - here.x) * direction[1]) + Math.abs((there.y - here.y) * direction[0]);
    const distance = along + 2 * across;
    if (along > 1 && distance < nearest) {
      nearest = distance;
      best = cell;
    }
  }
  return best;
}
