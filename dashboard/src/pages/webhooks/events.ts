import type { components } from "~/api/schema";

export type WebhookEvent = components["schemas"]["WebhookEvent"];
export type Webhook = components["schemas"]["Webhook"];
export type Delivery = components["schemas"]["Delivery"];

/** What can be told, in groups, and when. */
export const GROUPS: [string, [WebhookEvent, string][]][] = [
  [
    "Sessions",
    [
      ["session.created", "A new session begins"],
      ["session.completed", "A session is over"],
    ],
  ],
  [
    "Enrichment",
    [
      ["enrichment.started", "The pipeline begins with a session"],
      ["enrichment.completed", "It has finished; says how many items were extracted"],
      ["enrichment.failed", "It has failed; says at which stage and why"],
    ],
  ],
  [
    "Memory",
    [
      ["item.created", "A new item was extracted"],
      ["item.updated", "An item was changed or approved"],
      ["item.deprecated", "An item no longer holds"],
      ["brain.updated", "The brain that agents read has changed"],
    ],
  ],
  [
    "Members",
    [
      ["member.added", "Somebody has joined the project"],
      ["member.removed", "Somebody has left the project"],
    ],
  ],
];

export const EVENTS: WebhookEvent[] = GROUPS.flatMap(([, events]) => events.map(([event]) => event));

/** A secret as Standard Webhooks writes it: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** What is wrong with an address, before the server is asked; it knows more. */
export function addressFault(url: string): string | null {
  if (!URL.canParse(url)) return "A whole address, such as https://example.com/hooks/loremark";
  if (new URL(url).protocol !== "https:") return "Only https: what is told may be confidential";
  return null;
}
