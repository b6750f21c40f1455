import type { Node } from "./contextTree";

/** A row of the tree. */
export interface VisibleNode {
  node: Node;
  level: number;
  position: number;
  siblings: number;
  /** Undefined for leaves. */
  open: boolean | undefined;
}

const matches = (node: Node, query: string) =>
  node.context.name.toLowerCase().includes(query) || node.context.schemaKey.includes(query);

/** Matching nodes and their ancestors. */
function matchingNodes(roots: Node[], query: string): Set<Node> {
  const found = new Set<Node>();
  const visit = (node: Node): boolean => {
    let keep = matches(node, query);
    for (const child of node.children) keep = visit(child) || keep;
    if (keep) found.add(node);
    return keep;
  };
  roots.forEach(visit);
  return found;
}

export function listVisibleNodes(roots: Node[], closed: ReadonlySet<string>, filter: string): VisibleNode[] {
  const query = filter.trim().toLowerCase();
  const matching = query ? matchingNodes(roots, query) : null;
  const rows: VisibleNode[] = [];
  const add = (nodes: Node[], level: number) => {
    const shown = matching ? nodes.filter((node) => matching.has(node)) : nodes;
    shown.forEach((node, index) => {
      const hasChildren = matching
        ? node.children.some((child) => matching.has(child))
        : node.children.length > 0;
      const open = hasChildren ? matching !== null || !closed.has(node.context.id) : undefined;
      rows.push({ node, level, position: index + 1, siblings: shown.length, open });
      if (open) add(node.children, level + 1);
    });
  };
  add(roots, 1);
  return rows;
}

/** Larger trees start with only the top levels expanded. */
const EXPAND_ALL_UP_TO = 150;

export function initiallyCollapsed(nodes: Iterable<Node>, total: number): Set<string> {
  if (total <= EXPAND_ALL_UP_TO) return new Set();
  return new Set(
    [...nodes].filter((node) => node.level > 1 && node.descendants > 0).map((node) => node.context.id),
  );
}
