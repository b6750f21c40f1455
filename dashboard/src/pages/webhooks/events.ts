import type { components } from "~/api/schema";

export type WebhookEvent = components["schemas"]["WebhookEvent"];
export type Webhook = components["schemas"]["Webhook"];
export type Delivery = components["schemas"]["Delivery"];

/** Webhook events with their descriptions, grouped. */
export const EVENT_GROUPS: [string, [WebhookEvent, string][]][] = [
  [
    "Sessions",
    [
      ["session.created", "A session started"],
      ["session.completed", "A session ended"],
    ],
  ],
  [
    "Enrichment",
    [
      ["enrichment.started", "Enrichment of a session started"],
      ["enrichment.completed", "Enrichment finished; includes the number of extracted memories"],
      ["enrichment.failed", "Enrichment failed; includes the stage and the error"],
    ],
  ],
  [
    "Memory",
    [
      ["item.created", "A memory was created"],
      ["item.updated", "A memory was changed or approved"],
      ["item.deprecated", "A memory was deprecated"],
      ["brain.updated", "The project's brain was updated"],
    ],
  ],
  [
    "Members",
    [
      ["member.added", "A member was added to the project"],
      ["member.removed", "A member was removed from the project"],
    ],
  ],
];

export const EVENTS: WebhookEvent[] = EVENT_GROUPS.flatMap(([, events]) => events.map(([event]) => event));

/** A new secret in the Standard Webhooks format: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
}

/** Checks a URL before it is sent; returns an error message, or null. The server checks more. */
export function validateUrl(url: string): string | null {
  if (!URL.canParse(url)) return "Enter a full URL, such as https://example.com/hooks/loremark";
  if (new URL(url).protocol !== "https:") return "Use an https:// URL. Events may contain confidential data.";
  return null;
}
