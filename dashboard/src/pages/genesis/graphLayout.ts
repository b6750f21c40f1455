import type { components } from "~/api/schema";

export type Graph = components["schemas"]["ScanGraph"];
export type Module = Graph["modules"][number];

/** In SVG user units. */
export const RADIUS = 250;
const MAX_LABEL_CHARS = 21;
const CHAR_WIDTH = 8.3;
const MAX_FOLDERS = 9;
/** Gap between two folders, as a multiple of a module's slot. */
const GAP = 1.2;

export interface Node {
  index: number;
  module: Module;
  x: number;
  y: number;
  r: number;
  /** In degrees; labels on the left half are flipped to stay readable. */
  rotation: number;
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

/** The folder of each module, at the greatest depth that has at most `MAX_FOLDERS` folders. */
function groupByFolder(modules: Module[]): string[] {
  const deepest = Math.max(1, ...modules.map(({ path }) => path.split("/").length - 1));
  for (let depth = deepest; depth > 1; depth -= 1) {
    const found = modules.map(({ path }) => folderOf(path, depth));
    if (new Set(found).size <= MAX_FOLDERS) return found;
  }
  const first = modules.map(({ path }) => folderOf(path, 1));
  const size = new Map<string, number>();
  for (const folder of first) size.set(folder, (size.get(folder) ?? 0) + 1);
  const large = [...size].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const named = new Set(large.slice(0, MAX_FOLDERS - 1).map(([folder]) => folder));
  return size.size <= MAX_FOLDERS ? first : first.map((folder) => (named.has(folder) ? folder : "…"));
}

/** File names, prefixed with the folder where several are equal. */
function moduleLabels(modules: Module[]): string[] {
  const parts = modules.map(({ path }) => path.replace(/\/$/, "").split("/"));
  const last = parts.map((names) => names.at(-1) ?? "");
  return parts.map((names, index) => {
    const alone = last.indexOf(last[index]!) === last.lastIndexOf(last[index]!);
    const name = alone ? last[index]! : names.slice(-2).join("/");
    const label = modules[index]!.path.endsWith("/") ? `${name}/` : name;
    return label.length > MAX_LABEL_CHARS ? `…${label.slice(1 - MAX_LABEL_CHARS)}` : label;
  });
}

const pointAt = (angle: number, radius: number) =>
  [Math.cos(angle) * radius, Math.sin(angle) * radius] as const;
const fixed = (value: number) => value.toFixed(1);

/** An edge that bends toward the center, more so for modules that are farther apart. */
function curve(a: Node, b: Node): string {
  const apart = Math.hypot(a.x - b.x, a.y - b.y) / (2 * RADIUS);
  const pull = 0.75 - 0.6 * apart;
  const [x, y] = [((a.x + b.x) / 2) * pull, ((a.y + b.y) / 2) * pull];
  return `M${fixed(a.x)},${fixed(a.y)}Q${fixed(x)},${fixed(y)} ${fixed(b.x)},${fixed(b.y)}`;
}

function arc(from: number, to: number): string {
  const radius = RADIUS + 19;
  const [x1, y1] = pointAt(from, radius);
  const [x2, y2] = pointAt(to, radius);
  const large = to - from > Math.PI ? 1 : 0;
  return `M${fixed(x1)},${fixed(y1)}A${radius},${radius} 0 ${large} 1 ${fixed(x2)},${fixed(y2)}`;
}

/** Places modules on a circle, grouped by folder. Deterministic for a given graph. */
export function layout(graph: Graph): { nodes: Node[]; edges: Edge[]; folders: Folder[]; extent: number } {
  const { modules } = graph;
  const folders = groupByFolder(modules);
  const labels = moduleLabels(modules);
  const names = [...new Set(folders)].sort();
  const order = modules
    .map((_, index) => index)
    .sort((left, right) => {
      const [a, b] = [
        folders[left]! + "\n" + modules[left]!.path,
        folders[right]! + "\n" + modules[right]!.path,
      ];
      return a < b ? -1 : 1;
    });
  const gaps = names.length > 1 ? names.length * GAP : 0;
  const slot = (2 * Math.PI) / Math.max(1, modules.length + gaps);
  // Adjacent dots must not overlap.
  const maxRadius = Math.min(12, RADIUS * slot * 0.52);
  const maxImportedBy = Math.max(1, ...modules.map((module) => module.importedBy));
  const nodes: Node[] = [];
  const arcs: Folder[] = [];
  let angle = -Math.PI / 2;
  for (const [folder, name] of names.entries()) {
    const members = order.filter((index) => folders[index] === name);
    const start = angle + slot * 0.15;
    for (const index of members) {
      const middle = angle + slot / 2;
      const [x, y] = pointAt(middle, RADIUS);
      const flipped = Math.cos(middle) < 0;
      const rotation = (middle * 180) / Math.PI + (flipped ? 180 : 0);
      const r = 3.5 + Math.max(2, maxRadius - 3.5) * Math.sqrt(modules[index]!.importedBy / maxImportedBy);
      nodes[index] = {
        index,
        module: modules[index]!,
        x,
        y,
        r,
        rotation,
        flipped,
        label: labels[index]!,
        folder,
      };
      angle += slot;
    }
    const d = arc(start, Math.min(angle - slot * 0.15, start + 2 * Math.PI - 0.01));
    arcs.push({ name, d, modules: members.length });
    if (names.length > 1) angle += slot * GAP;
  }
  const edges = graph.edges.map(([from, to]) => ({ from, to, d: curve(nodes[from]!, nodes[to]!) }));
  const longest = Math.max(0, ...labels.map((label) => label.length));
  return { nodes, edges, folders: arcs, extent: RADIUS + 40 + longest * CHAR_WIDTH };
}

/** Indexes of the modules that each module imports and is imported by. */
export function neighborIndexes(graph: Graph): { imports: number[][]; importedBy: number[][] } {
  const imports: number[][] = graph.modules.map(() => []);
  const importedBy: number[][] = graph.modules.map(() => []);
  for (const [from, to] of graph.edges) {
    imports[from]?.push(to);
    importedBy[to]?.push(from);
  }
  return { imports, importedBy };
}
