import type { Source } from "~/api/types";

/** Code is left alone: what looks like a mark there is an index. */
const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const MARK = /\[(\d{1,2})\](?!\()/g;
/** The list the built-in engine ends with; the cards below say the same and more. */
const TAIL = /\n\nSources:\n(?:- \[\d{1,2}\][^\n]*(?:\n|$))*$/;
const TAIL_BEGINS = "\n\nSources:\n";

export interface Cited {
  /** Markdown in which marks lead to the cards. */
  text: string;
  /** The number by which the answer speaks of a source. */
  numbers: Map<string, number>;
}

const plain = (text: string) => text.split(CODE).filter((_, place) => place % 2 === 0);

/**
 * Marks count the passages that were read, and not all of those are shown as sources. But both have one order: the
 * smallest number in the text is the first source that was used.
 */
export function cite(answer: string, sources: Source[], anchor: string): Cited {
  const text = answer.replace(TAIL, "");
  const said = new Set<number>();
  for (const part of plain(text)) for (const mark of part.matchAll(MARK)) said.add(Number(mark[1]));
  const marks = [...said].sort((one, other) => one - other);
  const used = sources.filter((source) => source.used);
  if (marks.length !== used.length) return { text, numbers: new Map() };
  const numbers = new Map(used.map((source, place) => [source.itemId, marks[place]!]));
  const linked = text
    .split(CODE)
    .map((part, place) => (place % 2 === 1 ? part : part.replace(MARK, `[\\[$1\\]](#${anchor}-$1)`)))
    .join("");
  return { text: linked, numbers };
}

/** An answer that is still being made, without the beginning of the list it will end with. */
export function withoutTail(text: string): string {
  const place = text.lastIndexOf(TAIL_BEGINS);
  return place < 0 ? text : text.slice(0, place);
}

/** How near a memory is to the question, in words that can be compared. */
export function nearness(similarity: number): string {
  if (similarity >= 0.85) return "very near";
  if (similarity >= 0.7) return "near";
  return "related";
}
