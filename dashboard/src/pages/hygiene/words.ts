import type { components } from "~/api/schema";
import { lookup } from "~/parts/lookup";
import { count } from "~/parts/Time";

type Shapes = components["schemas"];
export type Plan = Shapes["KeptPlan"];
export type Action = Shapes["KeptAction"];
export type Kind = Action["type"];
export type Outcome = Shapes["HygieneResult"];
export type Mode = Plan["mode"];

/** The gravest first. */
export const KINDS: [Kind, name: string, about: string][] = [
  [
    "REDACT",
    "Take out secrets and personal data",
    "The words go for good, also from earlier versions. This cannot be undone.",
  ],
  ["DEPRECATE_MEMORY", "Retire", "What no longer holds leaves the brain. It can be approved again."],
  ["MERGE_MEMORIES", "Merge", "What tells the same becomes one. The first stays, with the files of all."],
  ["RENAME_TITLE", "Rename", "A title that says something, in the memory's own words."],
  ["RETAG", "File elsewhere", "The type or the place in the map becomes the one that fits."],
  ["FLAG_QUALITY", "Flag for a look", "It hardly tells anything. Only a flag is set; nothing else changes."],
];

export const MODES: Record<Mode, { name: string; about: string; when: string }> = {
  quick: {
    name: "Quick look",
    about: "The 20 newest living memories.",
    when: "For every day; it takes a moment.",
  },
  weekly: {
    name: "Weekly look",
    about: "Up to 200 of the newest living memories.",
    when: "For once a week; it sees further back.",
  },
};

const REASONS: Record<string, string> = {
  "item changed": "The memory has changed since this plan was made. A new look will see it as it is now.",
  "already applied": "This was done before.",
  "unknown action": "The plan no longer knows this proposal.",
  "not applied": "There is nothing to take back.",
  "redactions are final": "What was taken out is kept nowhere, so it cannot be brought back.",
};

/** Why nothing was done, in a sentence; the server's own words, where we do not know them. */
export const reasonOf = (outcome: Outcome) =>
  outcome.reason === undefined
    ? "The server did not say why."
    : (lookup(REASONS, outcome.reason) ?? outcome.reason);

export const itemsOf = (action: Action): string[] =>
  action.itemIds ?? (action.itemId === undefined ? [] : [action.itemId]);
export const isSafe = (action: Action) => !action.requiresHumanApproval;
export const isFinal = (action: Action) => action.type === "REDACT";
export const isExpired = (plan: Plan, now = Date.now()) => Date.parse(plan.expiresAt) <= now;

/** A plan's actions as they are shown: by kind, in the plan's own order within. */
export function groupsOf(plan: Plan): { kind: Kind; name: string; about: string; actions: Action[] }[] {
  return KINDS.map(([kind, name, about]) => ({
    kind,
    name,
    about,
    actions: plan.actions.filter((action) => action.type === kind),
  })).filter(({ actions }) => actions.length > 0);
}

export const memories = (value: number) => (value === 1 ? "1 memory" : `${count(value)} memories`);
