/** Looks up an untrusted key; safe for `__proto__` and `constructor`. */
export function lookup<T>(table: Record<string, T>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
