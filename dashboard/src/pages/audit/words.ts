import type { components } from "~/api/schema";
import { lookup } from "~/parts/lookup";

export type Entry = components["schemas"]["AuditEntry"];

type Detail = Record<string, unknown>;

/** What a detail says, as a text; whatever else it is has no place in a sentence. */
function said(entry: Entry, name: string): string {
  const value = (entry.detail as Detail)[name];
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** For each action its group, its name, and a sentence about one entry (without who did it). */
const ACTIONS: Record<string, [string, string, (entry: Entry) => string]> = {
  "login.created": [
    "Access",
    "Signed in",
    (e) => (said(e, "by") ? `signed in by ${said(e, "by")}` : "signed in"),
  ],
  "login.ended": ["Access", "Signed out", () => "signed out"],
  "password.changed": ["Access", "Password changed", () => "changed the password"],
  "key.created": ["Access", "Key made", (e) => `made the key “${said(e, "name")}”`],
  "key.deleted": ["Access", "Key ended", (e) => `ended the key “${said(e, "name")}”`],
  "team.created": ["Team", "Team made", (e) => `made the team “${said(e, "name")}”`],
  "team.invited": ["Team", "Invited", (e) => `invited ${said(e, "email")} as ${said(e, "role")}`],
  "team.invitation_revoked": ["Team", "Invitation taken back", () => "took an invitation back"],
  "team.joined": ["Team", "Joined", () => "joined the team"],
  "team.role_changed": ["Team", "Role changed", (e) => `made ${said(e, "email")} ${said(e, "role")}`],
  "team.member_removed": ["Team", "Member removed", (e) => `removed ${said(e, "email")} from the team`],
  "project.created": ["Project", "Project made", (e) => `made the project “${said(e, "name")}”`],
  "project.updated": ["Project", "Project changed", (e) => `changed the project: ${said(e, "fields")}`],
  "project.deleted": ["Project", "Project deleted", (e) => `deleted the project “${said(e, "name")}”`],
  "project.imported": ["Project", "Memory imported", () => "imported a memory into the project"],
  "project.member_added": [
    "Project",
    "Project member added",
    (e) => `added ${said(e, "email")} to the project as ${said(e, "role")}`,
  ],
  "project.member_removed": [
    "Project",
    "Project member removed",
    (e) => `removed ${said(e, "email")} from the project`,
  ],
  "project.secret_rotated": ["Project", "Secret renewed", () => "renewed the project's secret"],
  "item.deleted": ["Memory", "Item deleted", (e) => `deleted the item “${said(e, "title")}”`],
  "context.deleted": ["Memory", "Context deleted", (e) => `deleted the context ${said(e, "schemaKey")}`],
  "contexts.populated": ["Memory", "Map populated", () => "populated the map"],
  "hygiene.applied": ["Memory", "Hygiene applied", (e) => `applied ${deed(e)} of a hygiene plan`],
  "hygiene.undone": ["Memory", "Hygiene undone", (e) => `took back ${deed(e)} of a hygiene plan`],
  "chat.deleted": ["Memory", "Conversation deleted", (e) => `deleted the conversation “${said(e, "title")}”`],
  "webhook.created": ["Webhooks", "Webhook made", (e) => `made a webhook to ${said(e, "url")}`],
  "webhook.updated": ["Webhooks", "Webhook changed", (e) => `changed a webhook: ${said(e, "fields")}`],
  "webhook.deleted": ["Webhooks", "Webhook deleted", (e) => `deleted the webhook to ${said(e, "url")}`],
  "billing.plan_changed": [
    "Billing",
    "Plan changed",
    (e) => `changed the plan from ${said(e, "before")} to ${said(e, "plan")}`,
  ],
  "billing.cancelled": ["Billing", "Plan cancelled", (e) => `cancelled the ${said(e, "plan")} plan`],
  "billing.credits_bought": ["Billing", "Credits bought", (e) => `bought ${pack(e)}`],
  "billing.credits_refunded": [
    "Billing",
    "Credits refunded",
    (e) => `gave ${said(e, "tokens")} credits back`,
  ],
  "billing.auto_recharge_set": [
    "Billing",
    "Auto-recharge set",
    (e) => `switched auto-recharge ${(e.detail as Detail).enabled === true ? "on" : "off"}`,
  ],
  "billing.auto_recharge_paused": [
    "Billing",
    "Auto-recharge paused",
    () => "paused: a payment for auto-recharge was refused",
  ],
};

/** "2.5M tokens of credit" for credits_2_5m; a pack of the operator's own by its name. */
function pack(entry: Entry): string {
  const name = said(entry, "pack");
  const size = /^credits_(\d+)(?:_(\d+))?m$/.exec(name);
  if (size) return `${size[1]}${size[2] ? `.${size[2]}` : ""}M tokens of credit`;
  return name ? `the credits ${name}` : "credits";
}

function deed(entry: Entry): string {
  return said(entry, "type").toLowerCase().replaceAll("_", " ") || "an action";
}

/** What was done, in words; an action we do not know yet by its own name. */
export function what(entry: Entry): string {
  const known = lookup(ACTIONS, entry.action);
  return known ? known[2](entry) : entry.action.replaceAll(/[._]/g, " ");
}

/** The choices of the filter, in groups. */
export function choices(): { group: string; items: { value: string; label: string }[] }[] {
  const groups = new Map<string, { value: string; label: string }[]>();
  for (const [value, [group, label]] of Object.entries(ACTIONS))
    groups.set(group, [...(groups.get(group) ?? []), { value, label }]);
  return [...groups].map(([group, items]) => ({ group, items }));
}

const VIA: Record<string, string> = {
  login: "in the browser",
  key: "with a key",
  signature: "with a signature",
  operator: "on the server",
};

/** From where it was done. */
export function where(entry: Entry): string {
  const via = lookup(VIA, entry.actor.via) ?? entry.actor.via;
  return entry.actor.address ? `${via}, ${entry.actor.address}` : via;
}

export const who = (entry: Entry) => entry.actor.name || entry.actor.userId || "Loremark";
