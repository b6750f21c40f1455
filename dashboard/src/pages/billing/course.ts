import type { components } from "~/api/schema";

export type Transaction = components["schemas"]["Transaction"];

/** The balance after a transaction. */
export interface Step {
  at: number;
  balance: number;
  of: Transaction | null;
}

const DAY_MS = 86_400_000;

/** How the balance went: from what is there now back over what has changed it, oldest first. */
export function course(balance: number, transactions: Transaction[], now = Date.now()): Step[] {
  const steps: Step[] = [];
  let left = balance;
  for (const one of transactions) {
    steps.push({ at: Date.parse(one.createdAt), balance: left, of: one });
    left -= one.amount;
  }
  const first = steps.at(-1)?.at ?? now;
  const start = first - Math.max((now - first) * 0.05, DAY_MS);
  return [
    { at: start, balance: Math.max(0, left), of: null },
    ...steps.reverse(),
    { at: now, balance, of: null },
  ];
}

/** A round figure at or above the highest: the top of the picture. */
export function ceiling(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

export function said(one: Transaction): string {
  if (one.description) return one.description;
  return one.type === "purchase" ? "Credits bought" : "Used";
}
