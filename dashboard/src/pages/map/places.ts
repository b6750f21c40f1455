import type { components } from "~/api/schema";

export type Place = components["schemas"]["Place"];

/** A place with all that hangs below it. */
export interface Node {
  place: Place;
  above: Node | null;
  children: Node[];
  /** 1 at the top. */
  level: number;
  /** How many stand below it, at any depth. */
  below: number;
  /** Tokens of its own text and of all below it. */
  tokens: number;
}

export interface Tree {
  top: Node[];
  byId: ReadonlyMap<string, Node>;
}

/** As deep as the server lets a tree become. */
const LEVELS = 32;

/** One whose parent is not among them stands at the top. */
export function treeOf(places: Place[]): Tree {
  const byId = new Map<string, Node>();
  for (const place of places)
    byId.set(place.id, { place, above: null, children: [], level: 1, below: 0, tokens: place.tokens });
  const top: Node[] = [];
  for (const node of byId.values()) {
    node.above = (node.place.parentId && byId.get(node.place.parentId)) || null;
    (node.above?.children ?? top).push(node);
  }
  const measure = (node: Node, level: number) => {
    node.level = level;
    for (const child of node.children) {
      measure(child, level + 1);
      node.below += child.below + 1;
      node.tokens += child.tokens;
    }
  };
  for (const node of top) measure(node, 1);
  return { top, byId };
}

/** From the top down to it. */
export function pathTo(node: Node): Node[] {
  const path: Node[] = [];
  for (let at: Node | null = node; at; at = at.above) path.unshift(at);
  return path;
}

const height = (node: Node): number => 1 + Math.max(0, ...node.children.map(height));

/** Why it may not hang there, or null where it may; a target of null is the top. */
export function refusal(node: Node, target: Node | null): string | null {
  if ((node.above?.place.id ?? null) === (target?.place.id ?? null)) return "It stands there already.";
  if (!target) return null;
  if (pathTo(target).includes(node)) return "A context cannot stand below itself.";
  if (node.place.projectId === null && target.place.projectId !== null)
    return "What is for the whole team cannot stand below what is for one project.";
  if (target.level + height(node) > LEVELS) return `The tree would be deeper than ${LEVELS} levels.`;
  return null;
}

export type Health = "healthy" | "drafts" | "stale" | "conflict" | "unused";

export const HEALTH: { health: Health; word: string; why: string }[] = [
  { health: "healthy", word: "Healthy", why: "Approved, and nothing here is in doubt" },
  { health: "drafts", word: "Drafts", why: "It, or a memory here, waits for a judgement" },
  { health: "stale", word: "Stale", why: "Files that memories here speak of have changed since" },
  { health: "conflict", word: "In conflict", why: "Memories here say different things" },
  { health: "unused", word: "Deprecated", why: "Kept, but no agent gets it" },
];
const BAD: Health[] = ["unused", "healthy", "drafts", "stale", "conflict"];

export function healthOf({ state, items }: Place): Health {
  if (state === "deprecated") return "unused";
  if (items.conflict > 0) return "conflict";
  if (items.stale > 0) return "stale";
  return state === "draft" || items.draft > 0 ? "drafts" : "healthy";
}

/** The worst of it and of all below it. */
export function worst(node: Node): Health {
  let found = healthOf(node.place);
  for (const child of node.children) {
    const other = worst(child);
    if (BAD.indexOf(other) > BAD.indexOf(found)) found = other;
  }
  return found;
}

/** Its health in words. */
export function told({ state, items }: Place): string {
  const said = [
    state === "deprecated" ? "deprecated" : state === "draft" ? "a draft itself" : "",
    items.conflict > 0 ? `${items.conflict} in conflict` : "",
    items.stale > 0 ? `${items.stale} stale` : "",
    items.draft > 0 ? `${items.draft} ${items.draft === 1 ? "draft" : "drafts"}` : "",
  ].filter(Boolean);
  return said.join(", ") || "healthy";
}
