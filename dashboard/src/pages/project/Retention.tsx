import { Button, Group, NumberInput, Stack } from "@mantine/core";
import { useEffect, useMemo, useState } from "react";
import type { ResponseBody } from "~/api/client";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { pluralize } from "~/parts/format";
import { Loaded } from "~/parts/Page";
import { SettingsSection } from "~/parts/SettingsSection";
import { showSuccess } from "~/parts/toast";
import { useProjectDetail, useUpdateProject } from "./useUpdateProject";

const KINDS = [
  {
    field: "eventRetentionDays",
    label: "Events",
    name: "events",
    description:
      "What agents and tools sent, as they sent it. What was said stays searchable until the session is deleted.",
  },
  {
    field: "sessionRetentionDays",
    label: "Sessions",
    name: "sessions",
    description:
      "Sessions with everything captured in them, and drafts based only on them, counted from their last event.",
  },
  {
    field: "chatRetentionDays",
    label: "Conversations",
    name: "conversations",
    description: "Questions and answers, counted from a conversation's last message.",
  },
] as const;

const MAX_DAYS = 3650;

type Periods = Record<(typeof KINDS)[number]["field"], number | null>;
type Detail = ResponseBody<"/api/projects/{id}", "get">;

/** How long data is kept, in words. */
export function describeRetention(periods: Periods): string {
  const limited = KINDS.flatMap(({ field, name }) => {
    const days = periods[field];
    return days === null ? [] : [`${name} for ${pluralize(days, "day")}`];
  });
  return limited.length > 0 ? `Keeps ${limited.join(", ")}` : "Keeps everything";
}

/** What saving would delete, now or later, that would be kept without it. */
function shortened(before: Periods, after: Periods): string[] {
  return KINDS.flatMap(({ field, name }) => {
    const [old, days] = [before[field], after[field]];
    return days !== null && (old === null || days < old)
      ? [`${name} older than ${pluralize(days, "day")}`]
      : [];
  });
}

function Form({ detail, disabled }: { detail: Detail; disabled: boolean }) {
  const { eventRetentionDays, sessionRetentionDays, chatRetentionDays } = detail;
  const saved = useMemo<Periods>(
    () => ({ eventRetentionDays, sessionRetentionDays, chatRetentionDays }),
    [eventRetentionDays, sessionRetentionDays, chatRetentionDays],
  );
  const [draft, setDraft] = useState(saved);
  useEffect(() => setDraft(saved), [saved]);
  const [confirming, setConfirming] = useState(false);
  const update = useUpdateProject();
  const losses = shortened(saved, draft);
  const changed = KINDS.some(({ field }) => draft[field] !== saved[field]);
  const save = () =>
    update.mutate(draft, {
      onSuccess: () => showSuccess("Retention saved."),
      onSettled: () => setConfirming(false),
    });
  return (
    <Stack gap="md">
      {KINDS.map(({ field, label, description }) => (
        <NumberInput
          key={field}
          label={label}
          description={description}
          placeholder="Forever"
          suffix={draft[field] === 1 ? " day" : " days"}
          min={1}
          max={MAX_DAYS}
          clampBehavior="strict"
          allowDecimal={false}
          disabled={disabled}
          value={draft[field] ?? ""}
          onChange={(value) => setDraft({ ...draft, [field]: value === "" ? null : Number(value) })}
        />
      ))}
      <Group>
        <Button
          disabled={disabled || !changed}
          loading={update.isPending}
          onClick={() => (losses.length > 0 ? setConfirming(true) : save())}
        >
          Set retention
        </Button>
      </Group>
      <ConfirmDialog
        opened={confirming}
        title="Delete older data?"
        confirmLabel="Set and delete"
        busy={update.isPending}
        onConfirm={save}
        onClose={() => setConfirming(false)}
      >
        {`This permanently deletes ${losses.join(", and ")}, within the next hour and from then on. Approved memories stay.`}
      </ConfirmDialog>
    </Stack>
  );
}

/** How long the project keeps what was captured and asked. */
export function Retention({ disabled }: { disabled: boolean }) {
  const detail = useProjectDetail();
  return (
    <SettingsSection
      title="Retention"
      about="How many days data is kept. Leave a field empty to keep it forever. Approved memories and their quotes always stay."
    >
      <Loaded query={detail}>{(found) => <Form detail={found} disabled={disabled} />}</Loaded>
    </SettingsSection>
  );
}
