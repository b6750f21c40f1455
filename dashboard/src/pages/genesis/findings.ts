import { useMemo } from "react";
import type { components } from "~/api/schema";
import type { Tone } from "~/parts/Tag";

export type Finding = components["schemas"]["Finding"];
export type Layer = Finding["layer"];

export const LAYERS: [Layer, string][] = [
  ["product", "Product"],
  ["architecture", "Architecture"],
  ["dependencies", "Dependencies"],
  ["conventions", "Conventions"],
  ["dataModel", "Data model"],
  ["entryPoints", "Entry points"],
  ["security", "Security"],
];
export const LAYER_NAME = Object.fromEntries(LAYERS) as Record<Layer, string>;

const WORDS: Record<number, [word: string, tone: Tone]> = {
  1: ["low", "plain"],
  2: ["modest", "plain"],
  3: ["medium", "info"],
  4: ["high", "warn"],
  5: ["critical", "bad"],
};
export const importanceOf = (value: number) => WORDS[value] ?? ([String(value), "plain"] as const);

/** The first words of a finding, as plain text on one line. */
export function gist(content: string): string {
  return content
    .slice(0, 400)
    .replace(/[`*_#>|]+/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

export interface Sought {
  text: string;
  layer: Layer | "";
  least: number;
}

/** Those that are meant, the most important first; and how many of each layer there would be. */
export function useSought(findings: Finding[], sought: Sought) {
  const known = useMemo(
    () =>
      findings
        .map((finding) => ({
          finding,
          text: [finding.title, finding.content, ...finding.tags, ...finding.files].join("\n").toLowerCase(),
        }))
        .sort((one, other) => other.finding.importance - one.finding.importance),
    [findings],
  );
  return useMemo(() => {
    const words = sought.text.toLowerCase().split(/\s+/).filter(Boolean);
    const fitting = known
      .filter(
        ({ finding, text }) =>
          finding.importance >= sought.least && words.every((word) => text.includes(word)),
      )
      .map(({ finding }) => finding);
    const counts = new Map<Layer, number>();
    for (const { layer } of fitting) counts.set(layer, (counts.get(layer) ?? 0) + 1);
    const shown = sought.layer ? fitting.filter((finding) => finding.layer === sought.layer) : fitting;
    return { shown, counts, all: fitting.length };
  }, [known, sought]);
}
