import { Button, Checkbox, Fieldset, Group, Stack, Text } from "@mantine/core";
import classes from "./webhooks.module.css";
import { EVENTS, GROUPS, type WebhookEvent } from "./events";

/** Which events are told, each with what it means. */
export function EventChoice({
  chosen,
  choose,
}: {
  chosen: WebhookEvent[];
  choose: (events: WebhookEvent[]) => void;
}) {
  const all = chosen.length === EVENTS.length;
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600}>
          Events
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => choose(all ? [] : EVENTS)}>
          {all ? "None of them" : "All of them"}
        </Button>
      </Group>
      <Checkbox.Group
        value={chosen}
        onChange={(events) => choose(events as WebhookEvent[])}
        aria-label="Events"
      >
        <div className={classes.groups}>
          {GROUPS.map(([group, events]) => (
            <Fieldset key={group} legend={group} variant="default" p="sm">
              <Stack gap="xs">
                {events.map(([event, meaning]) => (
                  <Checkbox key={event} value={event} label={event} description={meaning} />
                ))}
              </Stack>
            </Fieldset>
          ))}
        </div>
      </Checkbox.Group>
    </div>
  );
}
