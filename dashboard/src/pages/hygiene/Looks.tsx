import { Button, Text, Title } from "@mantine/core";
import { IconCalendarWeek, IconEye } from "@tabler/icons-react";
import parts from "~/parts/parts.module.css";
import classes from "./hygiene.module.css";
import { MODES, type Mode } from "./words";

const ICONS: Record<Mode, typeof IconEye> = { quick: IconEye, weekly: IconCalendarWeek };

/** The two ways to have a memory looked at. */
export function Looks({ busy, look }: { busy?: Mode; look: (mode: Mode) => void }) {
  return (
    <section aria-label="A new look" className={classes.looks}>
      {(["quick", "weekly"] as const).map((mode) => {
        const Icon = ICONS[mode];
        return (
          <div key={mode} className={`${parts.card} ${classes.look}`}>
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
              onClick={() => look(mode)}
              aria-label={`Take a ${mode} look`}
            >
              Look
            </Button>
          </div>
        );
      })}
      <Text size="xs" c="dimmed" className={classes.seeks} role={busy ? "status" : undefined}>
        {busy
          ? "The memory is being looked at. This may take a moment."
          : "Both look for titles that say nothing, wrong types and places, the same told twice, what no longer holds, secrets and personal data, and what hardly tells anything. Nothing is changed by looking."}
      </Text>
    </section>
  );
}
