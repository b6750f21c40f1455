import { Button, Text, Title } from "@mantine/core";
import { IconCalendarWeek, IconEye } from "@tabler/icons-react";
import parts from "~/parts/parts.module.css";
import classes from "./hygiene.module.css";
import { MODES, type Mode } from "./actions";

const ICONS: Record<Mode, typeof IconEye> = { quick: IconEye, weekly: IconCalendarWeek };

/** Buttons that start a quick or a weekly check. */
export function StartAnalysis({ busy, analyze }: { busy?: Mode; analyze: (mode: Mode) => void }) {
  return (
    <section aria-label="New check" className={classes.modes}>
      {(["quick", "weekly"] as const).map((mode) => {
        const Icon = ICONS[mode];
        return (
          <div key={mode} className={`${parts.card} ${classes.mode}`}>
            <div>
              <Title order={2} size="h5">
                {MODES[mode].name}
              </Title>
              <Text size="sm" c="dimmed">
                {MODES[mode].about} {MODES[mode].when}
              </Text>
            </div>
            <Button
              variant={mode === "quick" ? "filled" : "default"}
              leftSection={<Icon size={16} />}
              loading={busy === mode}
              disabled={busy !== undefined && busy !== mode}
              onClick={() => analyze(mode)}
              aria-label={`Run ${mode} check`}
            >
              Run
            </Button>
          </div>
        );
      })}
      <Text size="xs" c="dimmed" className={classes.hint} role={busy ? "status" : undefined}>
        {busy
          ? "Checking memory. This may take a moment."
          : "Both checks look for vague titles, wrong types and schema keys, duplicates, outdated memories, secrets and personal data, and low-quality content. A check changes nothing."}
      </Text>
    </section>
  );
}
