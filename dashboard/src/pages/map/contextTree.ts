import type { components } from "~/api/schema";

export type MapContext = components["schemas"]["MapContext"];

/** A context with its subtree. */
export interface Node {
  context: MapContext;
  parent: Node | null;
  children: Node[];
  /** 1 for roots. */
  level: number;
  /** Number of descendants at any depth. */
  descendants: number;
  /** Tokens of the context and all its descendants. */
  tokens: number;
}

export interface Tree {
  roots: Node[];
  byId: ReadonlyMap<string, Node>;
}

/** The server's limit. */
const MAX_LEVELS = 32;

/** Builds the tree; contexts whose parent is missing become roots. */
export function buildTree(contexts: MapContext[]): Tree {
  const byId = new Map<string, Node>();
  for (const context of contexts)
    byId.set(context.id, {
      context,
      parent: null,
      children: [],
      level: 1,
      descendants: 0,
      tokens: context.tokens,
    });
  const roots: Node[] = [];
  for (const node of byId.values()) {
    node.parent = (node.context.parentId && byId.get(node.context.parentId)) || null;
    (node.parent?.children ?? roots).push(node);
  }
  const measure = (node: Node, level: number) => {
    node.level = level;
    for (const child of node.children) {
      measure(child, level + 1);
      node.descendants += child.descendants + 1;
      node.tokens += child.tokens;
    }
  };
  for (const node of roots) measure(node, 1);
  return { roots, byId };
}

/** The nodes from the root down to this one. */
export function pathTo(node: Node): Node[] {
  const path: Node[] = [];
  for (let at: Node | null = node; at; at = at.parent) path.unshift(at);
  return path;
}

const height = (node: Node): number => 1 + Math.max(0, ...node.children.map(height));

/** Why a node can't be moved under `target` (null is the top level), or null if it can. */
export function moveError(node: Node, target: Node | null): string | null {
  if ((node.parent?.context.id ?? null) === (target?.context.id ?? null))
    return "This is already its parent.";
  if (!target) return null;
  if (pathTo(target).includes(node)) return "A context can't be moved under itself.";
  if (node.context.projectId === null && target.context.projectId !== null)
    return "A team-wide context can't be moved under a project context.";
  if (target.level + height(node) > MAX_LEVELS) return `The tree can't be deeper than ${MAX_LEVELS} levels.`;
  return null;
}

export type Health = "healthy" | "drafts" | "stale" | "conflict" | "unused";

export const HEALTH: { health: Health; label: string; description: string }[] = [
  { health: "healthy", label: "Healthy", description: "Approved, with no flagged memories" },
  { health: "drafts", label: "Drafts", description: "The context or one of its memories needs review" },
  {
    health: "stale",
    label: "Stale",
    description: "Some of its memories may be outdated",
  },
  { health: "conflict", label: "Conflict", description: "Its memories contradict each other" },
  { health: "unused", label: "Deprecated", description: "Hidden from agents" },
];
const SEVERITY: Health[] = ["unused", "healthy", "drafts", "stale", "conflict"];

export function healthOf({ state, items }: MapContext): Health {
  if (state === "deprecated") return "unused";
  if (items.conflict > 0) return "conflict";
  if (items.stale > 0) return "stale";
  return state === "draft" || items.draft > 0 ? "drafts" : "healthy";
}

/** The worst health of a node and its descendants. */
export function worstHealth(node: Node): Health {
  let found = healthOf(node.context);
  for (const child of node.children) {
    const other = worstHealth(child);
    if (SEVERITY.indexOf(other) > SEVERITY.indexOf(found)) found = other;
  }
  return found;
}

export function describeHealth({ state, items }: MapContext): string {
  const parts = [
    state === "deprecated" ? "deprecated" : state === "draft" ? "draft" : "",
    items.conflict > 0 ? `${items.conflict} in conflict` : "",
    items.stale > 0 ? `${items.stale} stale` : "",
    items.draft > 0 ? `${items.draft} ${items.draft === 1 ? "draft" : "drafts"}` : "",
  ].filter(Boolean);
  return parts.join(", ") || "healthy";
}
