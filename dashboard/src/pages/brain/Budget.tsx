import { Autocomplete, Button, Group, NumberInput, Slider, Text } from "@mantine/core";
import { useState } from "react";
import { useGet } from "~/api/hooks";
import { formatCompact, formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import {
  clampBudget,
  MIN_BUDGET,
  MAX_BUDGET,
  PRESETS,
  stepForBudget,
  SLIDER_STEPS,
  budgetAtStep,
} from "./plan";
import classes from "./brain.module.css";

const MARKS = [MIN_BUDGET, ...PRESETS.slice(0, 3), MAX_BUDGET].map((value) => ({
  value: stepForBudget(value),
  label: formatCompact(value),
}));

/** Branches that have memories; loaded when the field gets focus. */
function useBranches(enabled: boolean): string[] {
  const query = { projectId: useProject().id, limit: 100 };
  const items = useGet("/api/v2/items", { query }, { enabled });
  return [...new Set((items.data ?? []).flatMap((item) => item.branch ?? []))].toSorted();
}

export function Branch({ branch, set }: { branch: string; set: (branch: string) => void }) {
  const [focused, setFocused] = useState(false);
  const branches = useBranches(focused);
  return (
    <Autocomplete
      label="Branch"
      placeholder="none"
      description="Also include unmerged memories from this branch"
      inputWrapperOrder={["label", "input", "description"]}
      className={classes.branch}
      data={branches}
      value={branch}
      maxLength={200}
      onFocus={() => setFocused(true)}
      onChange={set}
    />
  );
}

/** The token budget: slider, number field and presets. */
export function Budget({ budget, set }: { budget: number; set: (budget: number) => void }) {
  return (
    <div className={classes.budget}>
      <div className={classes.slider}>
        <Text size="sm" fw={600} mb={6}>
          Token budget
        </Text>
        <Slider
          thumbLabel="Token budget"
          thumbValueText={() => `${formatNumber(budget)} tokens`}
          min={0}
          max={SLIDER_STEPS}
          step={1}
          value={stepForBudget(budget)}
          label={() => formatNumber(budget)}
          marks={MARKS}
          size="lg"
          thumbSize={24}
          classNames={{ markLabel: classes.mark }}
          onChange={(step) => {
            // A typed budget may fall between two steps; keep it until the thumb moves.
            if (step !== stepForBudget(budget)) set(budgetAtStep(step));
          }}
        />
      </div>
      <div>
        <NumberInput
          label="Tokens"
          className={classes.number}
          min={MIN_BUDGET}
          max={MAX_BUDGET}
          step={500}
          thousandSeparator=","
          allowDecimal={false}
          clampBehavior="blur"
          value={budget}
          onChange={(typed) => {
            const value = Number(typed);
            if (typed !== "" && Number.isFinite(value) && value >= MIN_BUDGET && value <= MAX_BUDGET)
              set(clampBudget(value));
          }}
        />
      </div>
      <Group gap={6} role="group" aria-label="Budget presets" className={classes.presets}>
        {PRESETS.map((preset) => (
          <Button
            key={preset}
            size="xs"
            h={36}
            variant={preset === budget ? "filled" : "default"}
            aria-pressed={preset === budget}
            onClick={() => set(preset)}
          >
            {formatNumber(preset)}
          </Button>
        ))}
      </Group>
    </div>
  );
}
