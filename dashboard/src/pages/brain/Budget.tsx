import { Autocomplete, Button, Group, NumberInput, Slider, Text } from "@mantine/core";
import { useState } from "react";
import { useGet } from "~/api/hooks";
import { compact, count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { bounded, LEAST, MOST, PRESETS, stepOf, STEPS, valueAt } from "./plan";
import classes from "./brain.module.css";

const MARKS = [LEAST, ...PRESETS.slice(0, 3), MOST].map((value) => ({
  value: stepOf(value),
  label: compact(value),
}));

/** Branches that memories are known on; asked for only when somebody wants to choose. */
function useBranches(wanted: boolean): string[] {
  const query = { projectId: useProject().id, limit: 100 };
  const items = useGet("/api/v2/items", { query }, { enabled: wanted });
  return [...new Set((items.data ?? []).flatMap((item) => item.branch ?? []))].toSorted();
}

export function Branch({ branch, set }: { branch: string; set: (branch: string) => void }) {
  const [wanted, setWanted] = useState(false);
  const branches = useBranches(wanted);
  return (
    <Autocomplete
      label="Branch"
      placeholder="none"
      description="With what was learnt on it and is not merged"
      inputWrapperOrder={["label", "input", "description"]}
      className={classes.branch}
      data={branches}
      value={branch}
      maxLength={200}
      onFocus={() => setWanted(true)}
      onChange={set}
    />
  );
}

/** How long the document may be: by slider, by number, or one of the usual ones. */
export function Budget({ budget, set }: { budget: number; set: (budget: number) => void }) {
  return (
    <div className={classes.budget}>
      <div className={classes.slide}>
        <Text size="sm" fw={600} mb={6}>
          Token budget
        </Text>
        <Slider
          thumbLabel="Token budget"
          thumbValueText={() => `${count(budget)} tokens`}
          min={0}
          max={STEPS}
          step={1}
          value={stepOf(budget)}
          label={() => count(budget)}
          marks={MARKS}
          size="lg"
          thumbSize={24}
          classNames={{ markLabel: classes.mark }}
          onChange={(step) => {
            // The thumb may stand for a figure that was typed: it stays until the thumb is moved.
            if (step !== stepOf(budget)) set(valueAt(step));
          }}
        />
      </div>
      <div>
        <NumberInput
          label="Tokens"
          className={classes.number}
          min={LEAST}
          max={MOST}
          step={500}
          thousandSeparator=","
          allowDecimal={false}
          clampBehavior="blur"
          value={budget}
          onChange={(typed) => {
            const value = Number(typed);
            if (typed !== "" && Number.isFinite(value) && value >= LEAST && value <= MOST)
              set(bounded(value));
          }}
        />
      </div>
      <Group gap={6} role="group" aria-label="Usual budgets" className={classes.presets}>
        {PRESETS.map((preset) => (
          <Button
            key={preset}
            size="xs"
            h={36}
            variant={preset === budget ? "filled" : "default"}
            aria-pressed={preset === budget}
            onClick={() => set(preset)}
          >
            {count(preset)}
          </Button>
        ))}
      </Group>
    </div>
  );
}
