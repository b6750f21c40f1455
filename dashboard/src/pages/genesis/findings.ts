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

const IMPORTANCE_LABELS: Record<number, [word: string, tone: Tone]> = {
  1: ["very low", "plain"],
  2: ["low", "plain"],
  3: ["medium", "info"],
  4: ["high", "warn"],
  5: ["critical", "bad"],
};
export const describeImportance = (value: number) =>
  IMPORTANCE_LABELS[value] ?? ([String(value), "plain"] as const);

export interface FindingFilter {
  text: string;
  layer: Layer | "";
  minImportance: number;
}

/** Findings that match the filter, most important first, and the number of matches per layer. */
export function useFilteredFindings(findings: Finding[], filter: FindingFilter) {
  const indexed = useMemo(
    () =>
      findings
        .map((finding) => ({
          finding,
          text: [finding.title, finding.content, ...finding.tags, ...finding.files].join("\n").toLowerCase(),
        }))
        .sort((a, b) => b.finding.importance - a.finding.importance),
    [findings],
  );
  return useMemo(() => {
    const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = indexed
      .filter(
        ({ finding, text }) =>
          finding.importance >= filter.minImportance && words.every((word) => text.includes(word)),
      )
      .map(({ finding }) => finding);
    const counts = new Map<Layer, number>();
    for (const { layer } of matching) counts.set(layer, (counts.get(layer) ?? 0) + 1);
    const shown = filter.layer ? matching.filter((finding) => finding.layer === filter.layer) : matching;
    return { shown, counts, all: matching.length };
  }, [indexed, filter]);
}
