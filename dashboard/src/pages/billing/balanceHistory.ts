import type { components } from "~/api/schema";

export type Transaction = components["schemas"]["Transaction"];

/** The balance after a transaction. */
export interface BalancePoint {
  at: number;
  balance: number;
  transaction: Transaction | null;
}

const DAY_MS = 86_400_000;

/** The balance over time, oldest first, computed backwards from the current balance. */
export function balanceHistory(
  balance: number,
  transactions: Transaction[],
  now = Date.now(),
): BalancePoint[] {
  const points: BalancePoint[] = [];
  let running = balance;
  for (const transaction of transactions) {
    points.push({ at: Date.parse(transaction.createdAt), balance: running, transaction });
    running -= transaction.amount;
  }
  const first = points.at(-1)?.at ?? now;
  const start = first - Math.max((now - first) * 0.05, DAY_MS);
  return [
    { at: start, balance: Math.max(0, running), transaction: null },
    ...points.reverse(),
    { at: now, balance, transaction: null },
  ];
}

/** A round number at or above the value, for the top of the axis. */
export function axisMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= value) ?? 10 * power;
}

export function describeTransaction(transaction: Transaction): string {
  if (transaction.description) return transaction.description;
  return transaction.type === "purchase" ? "Credits purchased" : "Used";
}
