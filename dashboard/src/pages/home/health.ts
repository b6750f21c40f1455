import type { components } from "~/api/schema";
import type { Tone } from "~/parts/Tag";
import { amount } from "~/parts/Time";

export type Overview = components["schemas"]["Overview"];
export type Seen = components["schemas"]["ProjectOverview"];

export const to = (project: Seen, page: string) => `/p/${project.id}/${page}`;

/** What asks for a person, and where it is judged. */
export const KINDS = [
  {
    name: "drafts",
    one: "draft to judge",
    many: "drafts to judge",
    page: "review?tab=drafts",
    of: (project: Seen) => project.items.draft,
  },
  {
    name: "conflicts",
    one: "item in conflict",
    many: "items in conflict",
    page: "review?tab=conflicts",
    of: (project: Seen) => project.flags.conflict,
  },
  {
    name: "stale",
    one: "stale item",
    many: "stale items",
    page: "review?tab=stale",
    of: (project: Seen) => project.flags.stale,
  },
  {
    name: "failed",
    one: "failed session",
    many: "failed sessions",
    page: "sessions?status=failed",
    of: (project: Seen) => project.sessions.failed,
  },
] as const;

export type Kind = (typeof KINDS)[number];

export const waiting = (project: Seen) => KINDS.reduce((sum, kind) => sum + kind.of(project), 0);

/** How a project is doing, in two words; the tone only repeats them. */
export function health(project: Seen): [string, Tone] {
  if (project.status === "archived") return ["Archived", "plain"];
  if (project.lastEventAt === null && project.items.approved + project.items.draft === 0)
    return ["No event yet", "plain"];
  if (project.sessions.failed > 0) return ["Failed sessions", "bad"];
  if (project.flags.conflict > 0) return ["Conflicts", "bad"];
  if (project.flags.stale > 0) return ["Stale parts", "warn"];
  if (project.items.draft > 0) return ["Drafts wait", "info"];
  return ["In order", "good"];
}

/** The growth of the weeks shown, as a sentence. */
export function growth(project: Seen): string {
  const added = project.growth.map((week) => week.added);
  const whole = added.reduce((sum, value) => sum + value, 0);
  const weeks = `${added.length} weeks`;
  if (whole === 0) return `Nothing was added in ${weeks}`;
  const last = added.at(-1) ?? 0;
  return `${amount(whole, "item")} added in ${weeks}, ${last === 0 ? "none" : last} this week`;
}

export const ORDERS = {
  active: {
    name: "Latest event",
    by: (a: Seen, b: Seen) => (b.lastEventAt ?? "").localeCompare(a.lastEventAt ?? ""),
  },
  waiting: { name: "Most to judge", by: (a: Seen, b: Seen) => waiting(b) - waiting(a) },
  name: { name: "Name", by: (a: Seen, b: Seen) => a.name.localeCompare(b.name) },
} as const;

export type Order = keyof typeof ORDERS;

/** Those whose names hold every word, in the order asked for. */
export function find(projects: Seen[], typed: string, order: Order): Seen[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return projects
    .filter((project) => words.every((word) => project.name.toLowerCase().includes(word)))
    .toSorted(ORDERS[order].by);
}
