import type { Source } from "~/api/types";

/** Inside code, `[1]` is an index and not a citation. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const CITATION = /\[(\d{1,2})\](?!\()/g;
/** The source list the built-in engine appends; the source cards replace it. */
const SOURCE_LIST = /\n\nSources:\n(?:- \[\d{1,2}\][^\n]*(?:\n|$))*$/;
const SOURCE_LIST_START = "\n\nSources:\n";

export interface LinkedAnswer {
  /** Markdown with citations linked to the source cards. */
  text: string;
  /** Citation number by item id. */
  numbers: Map<string, number>;
}

const outsideCode = (text: string) => text.split(CODE).filter((_, index) => index % 2 === 0);

/**
 * Citations number the retrieved passages, and not every passage becomes a source. Both are in the same order, so the
 * lowest number in the text belongs to the first cited source.
 */
export function linkCitations(answer: string, sources: Source[], anchor: string): LinkedAnswer {
  const text = answer.replace(SOURCE_LIST, "");
  const cited = new Set<number>();
  for (const part of outsideCode(text))
    for (const mark of part.matchAll(CITATION)) cited.add(Number(mark[1]));
  const citedNumbers = [...cited].sort((a, b) => a - b);
  const used = sources.filter((source) => source.used);
  if (citedNumbers.length !== used.length) return { text, numbers: new Map() };
  const numbers = new Map(used.map((source, index) => [source.itemId, citedNumbers[index]!]));
  const linked = text
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(CITATION, `[\\[$1\\]](#${anchor}-$1)`)))
    .join("");
  return { text: linked, numbers };
}

/** Removes a (possibly incomplete) trailing source list from a streaming answer. */
export function stripSourceList(text: string): string {
  const start = text.lastIndexOf(SOURCE_LIST_START);
  return start < 0 ? text : text.slice(0, start);
}

export function describeSimilarity(similarity: number): string {
  if (similarity >= 0.85) return "close match";
  if (similarity >= 0.7) return "match";
  return "related";
}
