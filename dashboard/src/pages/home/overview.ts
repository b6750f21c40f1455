import type { components } from "~/api/schema";
import type { Tone } from "~/parts/Tag";
import { pluralize } from "~/parts/format";

export type Overview = components["schemas"]["Overview"];
export type ProjectOverview = components["schemas"]["ProjectOverview"];

export const projectPath = (project: ProjectOverview, page: string) => `/p/${project.id}/${page}`;

/** What needs a user's attention, and the page that handles it. */
export const ATTENTION_KINDS = [
  {
    name: "drafts",
    one: "draft to review",
    many: "drafts to review",
    page: "review?tab=drafts",
    count: (project: ProjectOverview) => project.items.draft,
  },
  {
    name: "conflicts",
    one: "conflicting memory",
    many: "conflicting memories",
    page: "review?tab=conflicts",
    count: (project: ProjectOverview) => project.flags.conflict,
  },
  {
    name: "stale",
    one: "stale memory",
    many: "stale memories",
    page: "review?tab=stale",
    count: (project: ProjectOverview) => project.flags.stale,
  },
  {
    name: "failed",
    one: "failed session",
    many: "failed sessions",
    page: "sessions?status=failed",
    count: (project: ProjectOverview) => project.sessions.failed,
  },
] as const;

export type AttentionKind = (typeof ATTENTION_KINDS)[number];

export const countAttention = (project: ProjectOverview) =>
  ATTENTION_KINDS.reduce((sum, kind) => sum + kind.count(project), 0);

/** A short status label and its color. */
export function describeHealth(project: ProjectOverview): [string, Tone] {
  if (project.status === "archived") return ["Archived", "plain"];
  if (project.lastEventAt === null && project.items.approved + project.items.draft === 0)
    return ["No events yet", "plain"];
  if (project.sessions.failed > 0) return ["Failed sessions", "bad"];
  if (project.flags.conflict > 0) return ["Conflicts", "bad"];
  if (project.flags.stale > 0) return ["Stale memories", "warn"];
  if (project.items.draft > 0) return ["Drafts to review", "info"];
  return ["Healthy", "good"];
}

/** A summary of the memories added per week. */
export function describeGrowth(project: ProjectOverview): string {
  const added = project.growth.map((week) => week.added);
  const total = added.reduce((sum, value) => sum + value, 0);
  const weeks = `${added.length} weeks`;
  if (total === 0) return `No memories added in ${weeks}`;
  const last = added.at(-1) ?? 0;
  return `${pluralize(total, "memory", "memories")} added in ${weeks}, ${last === 0 ? "none" : last} this week`;
}

export const SORT_ORDERS = {
  active: {
    name: "Recent activity",
    by: (a: ProjectOverview, b: ProjectOverview) => (b.lastEventAt ?? "").localeCompare(a.lastEventAt ?? ""),
  },
  waiting: {
    name: "Most to review",
    by: (a: ProjectOverview, b: ProjectOverview) => countAttention(b) - countAttention(a),
  },
  name: { name: "Name", by: (a: ProjectOverview, b: ProjectOverview) => a.name.localeCompare(b.name) },
} as const;

export type SortOrder = keyof typeof SORT_ORDERS;

/** Projects whose name contains every typed word, sorted. */
export function filterProjects(
  projects: ProjectOverview[],
  typed: string,
  order: SortOrder,
): ProjectOverview[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  return projects
    .filter((project) => words.every((word) => project.name.toLowerCase().includes(word)))
    .toSorted(SORT_ORDERS[order].by);
}
