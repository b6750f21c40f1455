import type { components } from "~/api/schema";

export type Plan = components["schemas"]["BrainPlan"];
export type PlanEntry = components["schemas"]["PlanEntry"];
export type PlanLayer = components["schemas"]["PlanLayer"];

export const LEAST = 200;
export const MOST = 200_000;
/** What the server takes when nobody says a budget. */
export const USUAL = 6000;
export const PRESETS = [2000, 8000, 32_000, 128_000];
/** Steps of the slider: each is some five in a hundred more than the one before. */
export const STEPS = 140;

/** A figure one can say: two digits, then noughts. */
function round(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}

export const valueAt = (step: number) =>
  Math.min(MOST, Math.max(LEAST, round(LEAST * (MOST / LEAST) ** (step / STEPS))));
export const stepOf = (value: number) =>
  Math.round((Math.log(value / LEAST) / Math.log(MOST / LEAST)) * STEPS);
export const bounded = (value: number) => Math.min(MOST, Math.max(LEAST, Math.round(value)));

export const LAYERS: Record<PlanLayer["layer"], { name: string; about: string }> = {
  0: { name: "Head", about: "the project itself" },
  1: { name: "Layer 1", about: "architecture, conventions, stack" },
  2: { name: "Layer 2", about: "journal, decisions, bugs" },
  3: { name: "Layer 3", about: "todos, session logs, the rest" },
};
