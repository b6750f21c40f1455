/** What a table says of a word from outside; also where that word is `__proto__` or `constructor`. */
export function lookup<T>(table: Record<string, T>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
