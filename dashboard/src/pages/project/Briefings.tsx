import { Stack, Switch } from "@mantine/core";
import { Loaded } from "~/parts/Page";
import { SettingsSection } from "~/parts/SettingsSection";
import { useProjectDetail, useUpdateProject } from "./useUpdateProject";

/** Briefing settings. Each one is saved as soon as it changes. */
export function Briefings({ disabled }: { disabled: boolean }) {
  const detail = useProjectDetail();
  const update = useUpdateProject();
  return (
    <SettingsSection
      title="Briefings"
      about="The memories agents get when a session starts and with its first prompt. Changes are saved immediately."
    >
      <Loaded query={detail}>
        {({ briefingsEnabled, showUnreviewed }) => (
          <Stack gap="xl">
            <Switch
              label="Brief agents"
              description="Gives agents the memories relevant to their task. When off, briefings are recorded for comparison but not sent."
              disabled={disabled}
              checked={briefingsEnabled}
              onChange={(event) => update.mutate({ briefingsEnabled: event.currentTarget.checked })}
            />
            <Switch
              label="Show unreviewed memory"
              description="Lets briefings and answers use drafts, and quotes from earlier sessions and commits, marked as unreviewed."
              disabled={disabled}
              checked={showUnreviewed}
              onChange={(event) => update.mutate({ showUnreviewed: event.currentTarget.checked })}
            />
          </Stack>
        )}
      </Loaded>
    </SettingsSection>
  );
}
