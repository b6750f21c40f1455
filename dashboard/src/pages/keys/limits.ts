import type { ResponseBody } from "~/api/client";

export type Entry = ResponseBody<"/api/keys", "get">[number];
export type Scope = NonNullable<Entry["scopes"]>[number];

const DAY_MS = 24 * 60 * 60 * 1000;

/** What a key can be limited to. */
export const SCOPES: { value: Scope; label: string }[] = [
  { value: "read", label: "Read, search and ask" },
  { value: "capture", label: "Send events and enrich sessions" },
  { value: "write", label: "Change memory, sessions and conversations" },
  { value: "admin", label: "Manage projects, members, webhooks and billing" },
];

export const EXPIRY_CHOICES = [
  { value: "never", label: "Never" },
  { value: "30", label: "In 30 days" },
  { value: "90", label: "In 90 days" },
  { value: "365", label: "In a year" },
];

export function expiryTime(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString();
}

/** The limits of a key in a few words, or null if it has none. */
export function describeLimits(entry: Entry, projectName: (id: string) => string): string | null {
  const parts = [
    entry.scopes?.join(", "),
    entry.projectId && `only ${projectName(entry.projectId)}`,
    entry.expiresAt && `until ${entry.expiresAt.slice(0, 10)}`,
    entry.allowedAddresses && `from ${entry.allowedAddresses.join(", ")}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? parts.join(" · ") : null;
}
