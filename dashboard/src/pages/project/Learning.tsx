import { SegmentedControl, Slider, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { Section } from "~/pages/account/Section";
import { useProject } from "~/shell/project";
import { useChange, useDetail } from "./changing";
import classes from "./project.module.css";

/** One step beyond certain: nothing is. */
const OFF = 101;

const TIERS = [
  { value: "", label: "As the plan" },
  { value: "small", label: "Small" },
  { value: "medium", label: "Medium" },
];

/** What a threshold means, in words. */
export function wordsOf(percent: number): string {
  if (percent >= OFF) return "Nothing is approved by itself: every new memory waits in Review for a person.";
  if (percent === 0)
    return "Every new memory that contradicts nothing is approved by itself, however unsure it is.";
  const rest =
    "contradicts nothing and had no secret taken out of it is approved by itself. The rest waits in Review.";
  const how =
    percent >= 95
      ? "Only what was said outright"
      : percent >= 80
        ? "What has direct evidence"
        : percent >= 60
          ? "Also what was only mentioned in passing"
          : "Even what is little more than a guess";
  return `${how} (at least ${percent}% sure), ${rest}`;
}

function Threshold({ disabled, known }: { disabled: boolean; known: number }) {
  const change = useChange();
  const [percent, setPercent] = useState(Math.round(known * 100));
  const save = (value: number) => {
    if (value !== Math.round(known * 100))
      change.mutate(
        { autoApproveThreshold: value / 100 },
        { onError: () => setPercent(Math.round(known * 100)) },
      );
  };
  return (
    <div>
      <Text size="sm" fw={600} id="threshold">
        What is approved by itself
      </Text>
      <div className={classes.slider}>
        <Slider
          min={0}
          max={OFF}
          step={1}
          disabled={disabled}
          thumbLabel="Confidence from which a memory is approved by itself, in percent"
          label={(value) => (value >= OFF ? "off" : `${value}%`)}
          marks={[
            { value: 50, label: "50%" },
            { value: 90, label: "90%" },
            { value: OFF, label: "off" },
          ]}
          value={percent}
          onChange={setPercent}
          onChangeEnd={save}
        />
      </div>
      <Text size="sm" c="dimmed" aria-live="polite">
        {wordsOf(percent)}
      </Text>
    </div>
  );
}

/** How sessions become memory. Each is saved as it is changed. */
export function Learning({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const detail = useDetail();
  const change = useChange();
  const known = detail.data?.autoApproveThreshold;
  const chooseTier = (value: string) =>
    change.mutate({ aiTier: value === "small" || value === "medium" ? value : null });
  return (
    <Section title="Learning" about="How what agents tell becomes memory. Changes are saved at once.">
      <Stack gap="xl">
        {known !== undefined && <Threshold key={known} known={known} disabled={disabled} />}
        <div>
          <Text size="sm" fw={600} mb={6}>
            Model
          </Text>
          <SegmentedControl
            aria-label="Model"
            fullWidth
            disabled={disabled}
            data={TIERS}
            value={project.aiTier ?? ""}
            onChange={chooseTier}
          />
          <Text size="sm" c="dimmed" mt={6}>
            The small one costs less, the medium one understands more. A plan that has only the small one uses
            that.
          </Text>
        </div>
        <Switch
          label="Deep enrichment"
          description={
            project.repoUrl
              ? "Looks into the repository while a session is enriched: slower, and closer to the code."
              : "Looks into the repository while a session is enriched. It needs a connected repository."
          }
          disabled={disabled || (!project.repoUrl && !project.deepEnrichEnabled)}
          checked={project.deepEnrichEnabled}
          onChange={(event) => change.mutate({ deepEnrichEnabled: event.currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}
