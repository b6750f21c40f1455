import type { components } from "~/api/schema";
import { lookup } from "~/parts/lookup";
import { formatNumber } from "~/parts/format";

type Shapes = components["schemas"];
export type Plan = Shapes["StoredPlan"];
export type Action = Shapes["StoredAction"];
export type Kind = Action["type"];
export type Outcome = Shapes["HygieneResult"];
export type Mode = Plan["mode"];

/** Most severe first. */
export const KINDS: [Kind, name: string, about: string][] = [
  [
    "REDACT",
    "Redact secrets and personal data",
    "Removes the text permanently, including from earlier versions. This can't be undone.",
  ],
  [
    "DEPRECATE_MEMORY",
    "Deprecate",
    "Outdated or unused memories are hidden from agents. You can approve them again.",
  ],
  [
    "MERGE_MEMORIES",
    "Merge",
    "Combines duplicates into the first memory and keeps the files of all of them.",
  ],
  ["RENAME_TITLE", "Rename", "Replaces a vague title with one taken from the memory's content."],
  ["RETAG", "Reclassify", "Corrects the type or the schema key."],
  ["FLAG_QUALITY", "Flag for review", "Flags low-quality memories. Nothing else changes."],
];

export const MODES: Record<Mode, { name: string; about: string; when: string }> = {
  quick: {
    name: "Quick check",
    about: "The 20 most recent memories.",
    when: "Takes a few seconds.",
  },
  weekly: {
    name: "Weekly check",
    about: "Up to 200 of the most recent memories.",
    when: "Run it about once a week.",
  },
};

const REASONS: Record<string, string> = {
  "item changed": "The memory has changed since this check. Run a new check.",
  "already applied": "Already applied.",
  "unknown action": "This suggestion is no longer part of the check.",
  "not applied": "There is nothing to undo.",
  "redactions are final": "Redacted text is not kept, so it can't be restored.",
};

/** Why an action was skipped or failed; falls back to the server's text. */
export const describeReason = (outcome: Outcome) =>
  outcome.reason === undefined
    ? "The server gave no reason."
    : (lookup(REASONS, outcome.reason) ?? outcome.reason);

export const itemIdsOf = (action: Action): string[] =>
  action.itemIds ?? (action.itemId === undefined ? [] : [action.itemId]);
export const isSafe = (action: Action) => !action.requiresHumanApproval;
export const isIrreversible = (action: Action) => action.type === "REDACT";
export const isExpired = (plan: Plan, now = Date.now()) => Date.parse(plan.expiresAt) <= now;

/** A plan's actions grouped by type, in plan order within each group. */
export function groupActions(plan: Plan): { kind: Kind; name: string; about: string; actions: Action[] }[] {
  return KINDS.map(([kind, name, about]) => ({
    kind,
    name,
    about,
    actions: plan.actions.filter((action) => action.type === kind),
  })).filter(({ actions }) => actions.length > 0);
}

export const memoryCount = (value: number) => (value === 1 ? "1 memory" : `${formatNumber(value)} memories`);
