import { SegmentedControl, Slider, Stack, Switch, Text } from "@mantine/core";
import { useState } from "react";
import { CodeBlock } from "~/parts/Copy";
import { SettingsSection } from "~/parts/SettingsSection";
import { useProject } from "~/shell/project";
import { useUpdateProject, useProjectDetail } from "./useUpdateProject";
import classes from "./project.module.css";

/** Above 100%, so nothing is approved automatically. */
const OFF = 101;

export const TIERS = [
  { value: "", label: "Plan default" },
  { value: "small", label: "Small" },
  { value: "medium", label: "Medium" },
];

/** Explains what an auto-approval threshold does. */
export function describeThreshold(percent: number): string {
  if (percent >= OFF) return "Off: every new memory waits for review.";
  if (percent === 0)
    return "Approves every new memory that has no conflict and no redacted secret, whatever its confidence.";
  // What qualifies with the lowest confidence; the numbers are those of src/loremark/memory/extraction/confidence.py.
  if (percent > 95) return "No memory reaches this confidence, so every new memory waits for review.";
  const examples =
    percent > 92
      ? "those that people save themselves"
      : percent > 90
        ? "explicitly stated decisions and rules"
        : percent > 72
          ? "explicitly stated decisions, and commits with a description"
          : percent > 50
            ? "rules from instruction files"
            : percent > 10
              ? "changes reported without an explanation"
              : "sentences taken from a session summary";
  return (
    `Approves memories with at least ${percent}% confidence, such as ${examples}, unless they have a conflict or a ` +
    "redacted secret. Everything else waits for review."
  );
}

function Threshold({ disabled, current }: { disabled: boolean; current: number }) {
  const update = useUpdateProject();
  const [percent, setPercent] = useState(Math.round(current * 100));
  const save = (value: number) => {
    if (value !== Math.round(current * 100))
      update.mutate(
        { autoApproveThreshold: value / 100 },
        { onError: () => setPercent(Math.round(current * 100)) },
      );
  };
  return (
    <div>
      <Text size="sm" fw={600} id="threshold">
        Auto-approval threshold
      </Text>
      <div className={classes.slider}>
        <Slider
          min={0}
          max={OFF}
          step={1}
          disabled={disabled}
          thumbLabel="Auto-approval threshold, confidence in percent"
          label={(value) => (value >= OFF ? "Off" : `${value}%`)}
          marks={[
            { value: 50, label: "50%" },
            { value: 90, label: "90%" },
            { value: OFF, label: "Off" },
          ]}
          value={percent}
          onChange={setPercent}
          onChangeEnd={save}
        />
      </div>
      <Text size="sm" c="dimmed" aria-live="polite">
        {describeThreshold(percent)}
      </Text>
    </div>
  );
}

/** How sessions become memories. Each setting is saved when changed. */
export function Enrichment({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const detail = useProjectDetail();
  const update = useUpdateProject();
  const threshold = detail.data?.autoApproveThreshold;
  const chooseTier = (value: string) =>
    update.mutate({ aiTier: value === "small" || value === "medium" ? value : null });
  return (
    <SettingsSection
      title="Enrichment"
      about="How agent sessions become memories. Changes are saved immediately."
    >
      <Stack gap="xl">
        {threshold !== undefined && <Threshold key={threshold} current={threshold} disabled={disabled} />}
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
            Small costs less; medium is more accurate. Plans without the medium model always use small.
          </Text>
        </div>
        <div>
          <Text size="sm" fw={600} mb={6}>
            Your coding agent
          </Text>
          <Text size="sm" c="dimmed">
            Claude Code, Codex and other agents can read your finished sessions in the background and write
            memories from them, with your own account. Turn it on for your machine:
          </Text>
          <CodeBlock label="Copy command">loremark reading on</CodeBlock>
        </div>
        <Switch
          label="Deep enrichment"
          description={
            project.repoUrl
              ? "Reads the repository while enriching a session. Slower, but more accurate."
              : "Reads the repository while enriching a session. Connect a repository first."
          }
          disabled={disabled || (!project.repoUrl && !project.deepEnrichEnabled)}
          checked={project.deepEnrichEnabled}
          onChange={(event) => update.mutate({ deepEnrichEnabled: event.currentTarget.checked })}
        />
      </Stack>
    </SettingsSection>
  );
}
