import type { components } from "~/api/schema";

export type Plan = components["schemas"]["BrainPlan"];
export type PlanEntry = components["schemas"]["PlanEntry"];
export type PlanLayer = components["schemas"]["PlanLayer"];

export const MIN_BUDGET = 200;
export const MAX_BUDGET = 200_000;
/** The server's default. */
export const DEFAULT_BUDGET = 6000;
export const PRESETS = [2000, 8000, 32_000, 128_000];
/** The slider is logarithmic: each step adds about 5%. */
export const SLIDER_STEPS = 140;

/** Rounds to two significant digits. */
function roundToTwoDigits(value: number): number {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(value)) - 1);
  return Math.round(value / unit) * unit;
}

export const budgetAtStep = (step: number) =>
  Math.min(
    MAX_BUDGET,
    Math.max(MIN_BUDGET, roundToTwoDigits(MIN_BUDGET * (MAX_BUDGET / MIN_BUDGET) ** (step / SLIDER_STEPS))),
  );
export const stepForBudget = (value: number) =>
  Math.round((Math.log(value / MIN_BUDGET) / Math.log(MAX_BUDGET / MIN_BUDGET)) * SLIDER_STEPS);
export const clampBudget = (value: number) => Math.min(MAX_BUDGET, Math.max(MIN_BUDGET, Math.round(value)));

export const LAYERS: Record<PlanLayer["layer"], { name: string; about: string }> = {
  0: { name: "Header", about: "project description" },
  1: { name: "Layer 1", about: "architecture, conventions, stack" },
  2: { name: "Layer 2", about: "implementation, decisions, bugs" },
  3: { name: "Layer 3", about: "todos, code map" },
};
