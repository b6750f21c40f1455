import type { components } from "~/api/schema";
import { pluralize } from "~/parts/format";
import { lookup } from "~/parts/lookup";
import { sourceName } from "~/parts/names";
import { KINDS } from "../hygiene/actions";

export type Entry = components["schemas"]["AuditEntry"];

type Details = Record<string, unknown>;

/** A detail as text; empty if it is neither text, a number nor a list. */
function detail(entry: Entry, name: string): string {
  const value = (entry.details as Details)[name];
  if (Array.isArray(value)) return value.map(String).join(", ");
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** For each action: its group, its label, and a description of one entry that follows the actor's name. */
const ACTIONS: Record<string, [string, string, (entry: Entry) => string]> = {
  "login.created": ["Access", "Signed in", (e) => `signed in${signInMethod(e)}`],
  "login.ended": ["Access", "Signed out", () => "signed out"],
  "login.revoked": ["Access", "Browser signed out", () => "signed out of another browser"],
  "login.others_revoked": [
    "Access",
    "Other browsers signed out",
    (e) => `signed out of ${pluralize(Number(detail(e, "logins")), "other browser")}`,
  ],
  "audit.exported": ["Access", "Audit log exported", () => "exported the audit log"],
  "password.changed": ["Access", "Password changed", () => "changed their password"],
  "two_factor.enabled": ["Access", "Two-factor turned on", () => "turned two-factor authentication on"],
  "two_factor.disabled": ["Access", "Two-factor turned off", () => "turned two-factor authentication off"],
  "two_factor.recovery_codes_replaced": [
    "Access",
    "Recovery codes replaced",
    () => "created new recovery codes",
  ],
  "two_factor.recovery_code_used": [
    "Access",
    "Recovery code used",
    (e) => `used a recovery code; ${pluralize(Number(detail(e, "left")), "code")} left`,
  ],
  "passkey.added": ["Access", "Passkey added", (e) => `added the passkey “${detail(e, "name")}”`],
  "passkey.renamed": ["Access", "Passkey renamed", (e) => `renamed a passkey to “${detail(e, "name")}”`],
  "passkey.removed": ["Access", "Passkey removed", (e) => `removed the passkey “${detail(e, "name")}”`],
  "key.created": ["Access", "API key created", (e) => `created the API key “${detail(e, "name")}”`],
  "key.deleted": ["Access", "API key revoked", (e) => `revoked the API key “${detail(e, "name")}”`],
  "team.created": ["Team", "Team created", (e) => `created the team “${detail(e, "name")}”`],
  "team.member_invited": [
    "Team",
    "Member invited",
    (e) => `invited ${detail(e, "email")} as ${detail(e, "role")}`,
  ],
  "team.invitation_revoked": ["Team", "Invitation revoked", () => "revoked an invitation"],
  "team.member_joined": ["Team", "Member joined", () => "joined the team"],
  "team.role_changed": [
    "Team",
    "Role changed",
    (e) => `changed the role of ${detail(e, "email")} to ${detail(e, "role")}`,
  ],
  "team.member_removed": ["Team", "Member removed", (e) => `removed ${detail(e, "email")} from the team`],
  "project.created": ["Project", "Project created", (e) => `created the project “${detail(e, "name")}”`],
  "project.updated": ["Project", "Project updated", (e) => `updated the project: ${detail(e, "fields")}`],
  "project.deleted": ["Project", "Project deleted", (e) => `deleted the project “${detail(e, "name")}”`],
  "project.imported": ["Project", "Data imported", () => "imported data into the project"],
  "project.member_added": [
    "Project",
    "Project member added",
    (e) => `added ${detail(e, "email")} to the project as ${detail(e, "role")}`,
  ],
  "project.member_removed": [
    "Project",
    "Project member removed",
    (e) => `removed ${detail(e, "email")} from the project`,
  ],
  "project.secret_read": ["Project", "Signing secret read", () => "read the project's signing secret"],
  "project.secret_rotated": [
    "Project",
    "Signing secret rotated",
    () => "rotated the project's signing secret",
  ],
  "session.deleted": [
    "Memory",
    "Session deleted",
    (e) => `deleted a session with ${pluralize(Number(detail(e, "events")), "event")}`,
  ],
  "session.sent_to_agent": [
    "Memory",
    "Session sent to an agent",
    (e) => `sent a session to ${sourceName(detail(e, "agent"))} to read`,
  ],
  "retention.applied": ["Memory", "Expired data deleted", (e) => `deleted expired data: ${expired(e)}`],
  "item.deleted": ["Memory", "Memory deleted", (e) => `deleted the memory “${detail(e, "title")}”`],
  "context.deleted": ["Memory", "Context deleted", (e) => `deleted the context ${detail(e, "schemaKey")}`],
  "contexts.populated": ["Memory", "Contexts updated in bulk", () => "updated contexts in bulk"],
  "hygiene.applied": [
    "Memory",
    "Hygiene suggestion applied",
    (e) => `applied a hygiene suggestion: ${hygieneAction(e)}`,
  ],
  "hygiene.undone": [
    "Memory",
    "Hygiene suggestion undone",
    (e) => `undid a hygiene suggestion: ${hygieneAction(e)}`,
  ],
  "chat.deleted": [
    "Memory",
    "Conversation deleted",
    (e) => `deleted the conversation “${detail(e, "title")}”`,
  ],
  "webhook.created": ["Webhooks", "Webhook created", (e) => `created a webhook to ${detail(e, "url")}`],
  "webhook.updated": ["Webhooks", "Webhook updated", (e) => `updated a webhook: ${detail(e, "fields")}`],
  "webhook.deleted": ["Webhooks", "Webhook deleted", (e) => `deleted the webhook to ${detail(e, "url")}`],
  "billing.plan_changed": [
    "Billing",
    "Plan changed",
    (e) => `changed the plan from ${detail(e, "before")} to ${detail(e, "plan")}`,
  ],
  "billing.cancelled": ["Billing", "Plan canceled", (e) => `canceled the ${detail(e, "plan")} plan`],
  "billing.credits_purchased": ["Billing", "Credits purchased", (e) => `bought ${describePack(e)}`],
  "billing.credits_refunded": [
    "Billing",
    "Credits refunded",
    (e) => `refunded credits (${detail(e, "tokens")} tokens)`,
  ],
  "billing.auto_recharge_updated": [
    "Billing",
    "Auto-recharge updated",
    (e) => `turned auto-recharge ${(e.details as Details).enabled === true ? "on" : "off"}`,
  ],
  "billing.auto_recharge_paused": [
    "Billing",
    "Auto-recharge paused",
    () => "paused auto-recharge after a failed purchase",
  ],
};

/** "credits (2.5M tokens)" for credits_2_5m; an operator's own pack by its name. */
function describePack(entry: Entry): string {
  const name = detail(entry, "pack");
  const size = /^credits_(\d+)(?:_(\d+))?m$/.exec(name);
  if (size) return `credits (${size[1]}${size[2] ? `.${size[2]}` : ""}M tokens)`;
  return name ? `the ${name} credit pack` : "credits";
}

/** The counts that are not zero, such as "3 events, 1 session". */
function expired(entry: Entry): string {
  const names = { events: "event", sessions: "session", drafts: "draft", chats: "conversation" };
  return Object.entries(names)
    .map(([field, name]) => ({ count: Number(detail(entry, field)), name }))
    .filter(({ count }) => count > 0)
    .map(({ count, name }) => pluralize(count, name))
    .join(", ");
}

/** How somebody signed in, unless it was with the password alone. */
function signInMethod(entry: Entry): string {
  const method = detail(entry, "method");
  if (!method) return "";
  return method.startsWith("password") ? ` with ${method}` : ` with a ${method}`;
}

function hygieneAction(entry: Entry): string {
  const type = detail(entry, "type");
  return KINDS.find(([kind]) => kind === type)?.[1] ?? (type || "unknown");
}

/** What was done, in words; an unknown action by its own name. */
export function describeAction(entry: Entry): string {
  const known = lookup(ACTIONS, entry.action);
  return known ? known[2](entry) : entry.action.replaceAll(/[._]/g, " ");
}

/** The filter options, grouped. */
export function actionOptions(): { group: string; items: { value: string; label: string }[] }[] {
  const groups = new Map<string, { value: string; label: string }[]>();
  for (const [value, [group, label]] of Object.entries(ACTIONS))
    groups.set(group, [...(groups.get(group) ?? []), { value, label }]);
  return [...groups].map(([group, items]) => ({ group, items }));
}

const AUTH_METHODS: Record<string, string> = {
  login: "in the browser",
  key: "with an API key",
  signature: "with a signature",
  operator: "on the server",
};

/** How the actor was authenticated, and their IP address. */
export function describeSource(entry: Entry): string {
  const method = lookup(AUTH_METHODS, entry.actor.authMethod) ?? entry.actor.authMethod;
  return entry.actor.ipAddress ? `${method}, ${entry.actor.ipAddress}` : method;
}

export const actorName = (entry: Entry) => entry.actor.name || entry.actor.userId || "Loremark";
