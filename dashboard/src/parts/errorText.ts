/** What to do about an error whose message does not say it, by the start of the message. */
const ADVICE: [message: string, advice: string][] = [
  ["Forbidden", "You don't have access to do this. Ask a project or team admin."],
  ["AI token limit reached", "The team's owner can buy credits or change the plan under Billing."],
  ["Plan limit reached", "The team's owner can change the plan under Billing."],
  ["Project is archived", "A project admin can unarchive it in Project settings."],
  ["Enrichment already in progress", "Try again when it has finished."],
  ["Scan already in progress", "Wait for it to finish, or cancel it."],
  ["No previous scan for selective mode", "Turn off “Changed files only” and start the scan again."],
  ["schemaKey already exists", "Choose another name."],
  [
    "url points to a private or reserved address",
    "The server administrator can allow it with LOREMARK_OUTBOUND_ALLOW.",
  ],
  [
    "Payment method required",
    "Add one under Manage payment. If this server takes no payments, ask the server administrator to grant a plan.",
  ],
  ["Payment failed", "Check the payment method under Manage payment, then try again."],
  [
    "Internal server error",
    "Try again. If it keeps failing, ask the server administrator to check the server's log.",
  ],
  ["Service temporarily unavailable", "Try again in a few seconds."],
];

/** Messages written for programs, by the start of the message, and what people see instead. */
const REWORDED: [message: string, text: string][] = [
  [
    "The resource has changed since you read it",
    "This has changed in the meantime. Read the current text, then try again.",
  ],
];

/** The error's message, followed by what to do about it. */
export function errorText(error: Error): string {
  const text = REWORDED.find(([message]) => error.message.startsWith(message))?.[1];
  if (text) return text;
  const advice = ADVICE.find(([message]) => error.message.startsWith(message))?.[1];
  return advice ? `${error.message.replace(/\.$/, "")}. ${advice}` : error.message;
}
