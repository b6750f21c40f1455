import { Button, Checkbox, Fieldset, Group, Stack, Text } from "@mantine/core";
import classes from "./webhooks.module.css";
import { EVENTS, EVENT_GROUPS, type WebhookEvent } from "./events";

/** Checkboxes for the events a webhook receives. */
export function EventPicker({
  value,
  onChange,
}: {
  value: WebhookEvent[];
  onChange: (events: WebhookEvent[]) => void;
}) {
  const allSelected = value.length === EVENTS.length;
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600}>
          Events
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => onChange(allSelected ? [] : EVENTS)}>
          {allSelected ? "Clear all" : "Select all"}
        </Button>
      </Group>
      <Checkbox.Group
        value={value}
        onChange={(events) => onChange(events as WebhookEvent[])}
        aria-label="Events"
      >
        <div className={classes.groups}>
          {EVENT_GROUPS.map(([group, events]) => (
            <Fieldset key={group} legend={group} variant="default" p="sm">
              <Stack gap="xs">
                {events.map(([event, description]) => (
                  <Checkbox key={event} value={event} label={event} description={description} />
                ))}
              </Stack>
            </Fieldset>
          ))}
        </div>
      </Checkbox.Group>
    </div>
  );
}
