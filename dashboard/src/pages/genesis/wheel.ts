import type { components } from "~/api/schema";

export type Graph = components["schemas"]["ScanGraph"];
export type Module = Graph["modules"][number];

/** Where things lie; in the units of the picture. */
export const RADIUS = 250;
const LABEL_CHARS = 21;
const CHAR_WIDTH = 8.3;
const MOST_FOLDERS = 9;
/** So much of a module's room is left free between two folders. */
const GAP = 1.2;

export interface Node {
  place: number;
  module: Module;
  x: number;
  y: number;
  r: number;
  /** In degrees; text at the left half is turned so that nobody reads upside down. */
  turn: number;
  flipped: boolean;
  label: string;
  folder: number;
}

export interface Edge {
  from: number;
  to: number;
  d: string;
}

export interface Folder {
  name: string;
  d: string;
  modules: number;
}

const folderOf = (path: string, depth: number) => path.split("/").slice(0, -1).slice(0, depth).join("/");

/** As deep as there are few enough folders to tell them apart. */
function grouped(modules: Module[]): string[] {
  const deepest = Math.max(1, ...modules.map(({ path }) => path.split("/").length - 1));
  for (let depth = deepest; depth > 1; depth -= 1) {
    const found = modules.map(({ path }) => folderOf(path, depth));
    if (new Set(found).size <= MOST_FOLDERS) return found;
  }
  const first = modules.map(({ path }) => folderOf(path, 1));
  const size = new Map<string, number>();
  for (const folder of first) size.set(folder, (size.get(folder) ?? 0) + 1);
  const large = [...size].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
  const named = new Set(large.slice(0, MOST_FOLDERS - 1).map(([folder]) => folder));
  return size.size <= MOST_FOLDERS ? first : first.map((folder) => (named.has(folder) ? folder : "…"));
}

/** A file's name; that of its folder before it, where several have the same. */
function labelled(modules: Module[]): string[] {
  const parts = modules.map(({ path }) => path.replace(/\/$/, "").split("/"));
  const last = parts.map((names) => names.at(-1) ?? "");
  return parts.map((names, place) => {
    const alone = last.indexOf(last[place]!) === last.lastIndexOf(last[place]!);
    const name = alone ? last[place]! : names.slice(-2).join("/");
    const whole = modules[place]!.path.endsWith("/") ? `${name}/` : name;
    return whole.length > LABEL_CHARS ? `…${whole.slice(1 - LABEL_CHARS)}` : whole;
  });
}

const at = (angle: number, radius: number) => [Math.cos(angle) * radius, Math.sin(angle) * radius] as const;
const figure = (value: number) => value.toFixed(1);

/** Bent towards the middle: the farther apart two modules are, the more. */
function curve(one: Node, other: Node): string {
  const apart = Math.hypot(one.x - other.x, one.y - other.y) / (2 * RADIUS);
  const pull = 0.75 - 0.6 * apart;
  const [x, y] = [((one.x + other.x) / 2) * pull, ((one.y + other.y) / 2) * pull];
  return `M${figure(one.x)},${figure(one.y)}Q${figure(x)},${figure(y)} ${figure(other.x)},${figure(other.y)}`;
}

function arc(from: number, to: number): string {
  const radius = RADIUS + 19;
  const [x1, y1] = at(from, radius);
  const [x2, y2] = at(to, radius);
  const large = to - from > Math.PI ? 1 : 0;
  return `M${figure(x1)},${figure(y1)}A${radius},${radius} 0 ${large} 1 ${figure(x2)},${figure(y2)}`;
}

/** A wheel: modules of a folder lie side by side, imports cross it. The same graph is always the same picture. */
export function layout(graph: Graph): { nodes: Node[]; edges: Edge[]; folders: Folder[]; half: number } {
  const { modules } = graph;
  const folders = grouped(modules);
  const labels = labelled(modules);
  const names = [...new Set(folders)].sort();
  const order = modules
    .map((_, place) => place)
    .sort((one, other) => {
      const [a, b] = [
        folders[one]! + "\n" + modules[one]!.path,
        folders[other]! + "\n" + modules[other]!.path,
      ];
      return a < b ? -1 : 1;
    });
  const gaps = names.length > 1 ? names.length * GAP : 0;
  const room = (2 * Math.PI) / Math.max(1, modules.length + gaps);
  // Neighbours must not cover each other.
  const largest = Math.min(12, RADIUS * room * 0.52);
  const most = Math.max(1, ...modules.map((module) => module.importedBy));
  const nodes: Node[] = [];
  const arcs: Folder[] = [];
  let angle = -Math.PI / 2;
  for (const [folder, name] of names.entries()) {
    const own = order.filter((place) => folders[place] === name);
    const begins = angle + room * 0.15;
    for (const place of own) {
      const middle = angle + room / 2;
      const [x, y] = at(middle, RADIUS);
      const flipped = Math.cos(middle) < 0;
      const turn = (middle * 180) / Math.PI + (flipped ? 180 : 0);
      const r = 3.5 + Math.max(2, largest - 3.5) * Math.sqrt(modules[place]!.importedBy / most);
      nodes[place] = {
        place,
        module: modules[place]!,
        x,
        y,
        r,
        turn,
        flipped,
        label: labels[place]!,
        folder,
      };
      angle += room;
    }
    const d = arc(begins, Math.min(angle - room * 0.15, begins + 2 * Math.PI - 0.01));
    arcs.push({ name, d, modules: own.length });
    if (names.length > 1) angle += room * GAP;
  }
  const edges = graph.edges.map(([from, to]) => ({ from, to, d: curve(nodes[from]!, nodes[to]!) }));
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return { nodes, edges, folders: arcs, half: RADIUS + 40 + longest * CHAR_WIDTH };
}

/** Whom each module imports, and by whom it is imported; by their places. */
export function neighbours(graph: Graph): { imports: number[][]; importedBy: number[][] } {
  const imports: number[][] = graph.modules.map(() => []);
  const importedBy: number[][] = graph.modules.map(() => []);
  for (const [from, to] of graph.edges) {
    imports[from]?.push(to);
    importedBy[to]?.push(from);
  }
  return { imports, importedBy };
}
