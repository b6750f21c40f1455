import type { Node } from "./places";

/** A line of the tree as it is shown. */
export interface Line {
  node: Node;
  level: number;
  place: number;
  of: number;
  /** Undefined for one with nothing below it. */
  open: boolean | undefined;
}

const meant = (node: Node, words: string) =>
  node.place.name.toLowerCase().includes(words) || node.place.schemaKey.includes(words);

/** Those that are meant by the words, with all that stand above them. */
function found(top: Node[], words: string): Set<Node> {
  const kept = new Set<Node>();
  const visit = (node: Node): boolean => {
    let keep = meant(node, words);
    for (const child of node.children) keep = visit(child) || keep;
    if (keep) kept.add(node);
    return keep;
  };
  top.forEach(visit);
  return kept;
}

export function linesOf(top: Node[], closed: ReadonlySet<string>, words: string): Line[] {
  const wanted = words.trim().toLowerCase();
  const kept = wanted ? found(top, wanted) : null;
  const lines: Line[] = [];
  const add = (nodes: Node[], level: number) => {
    const shown = kept ? nodes.filter((node) => kept.has(node)) : nodes;
    shown.forEach((node, at) => {
      const below = kept ? node.children.some((child) => kept.has(child)) : node.children.length > 0;
      const open = below ? kept !== null || !closed.has(node.place.id) : undefined;
      lines.push({ node, level, place: at + 1, of: shown.length, open });
      if (open) add(node.children, level + 1);
    });
  };
  add(top, 1);
  return lines;
}

/** Of a large tree only the upper levels are open at first. */
const FEW = 150;

export function closedAtFirst(nodes: Iterable<Node>, of: number): Set<string> {
  if (of <= FEW) return new Set();
  return new Set([...nodes].filter((node) => node.level > 1 && node.below > 0).map((node) => node.place.id));
}
