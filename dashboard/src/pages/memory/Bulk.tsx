import { Button, CloseButton, Group, Text } from "@mantine/core";
import { IconArchive, IconCheck, IconTrash } from "@tabler/icons-react";
import { count } from "~/parts/Time";
import classes from "./memory.module.css";

interface Props {
  chosen: number;
  loaded: number;
  approve: () => void;
  deprecate: () => void;
  remove: () => void;
  all: () => void;
  none: () => void;
}

/** What can be done with those that are selected. */
export function Bulk({ chosen, loaded, approve, deprecate, remove, all, none }: Props) {
  if (chosen === 0) return null;
  return (
    <Group className={classes.bulk} role="toolbar" aria-label="Selected memories" gap="xs">
      <CloseButton aria-label="Select none" onClick={none} />
      <Text size="sm" fw={600} aria-live="polite">
        {count(chosen)} selected
      </Text>
      {chosen < loaded && (
        <Button variant="subtle" size="compact-sm" onClick={all}>
          Select all {count(loaded)} loaded
        </Button>
      )}
      <div className={classes.bulkActions}>
        <Button size="sm" leftSection={<IconCheck size={16} />} onClick={approve}>
          Approve
        </Button>
        <Button size="sm" variant="default" leftSection={<IconArchive size={16} />} onClick={deprecate}>
          Deprecate
        </Button>
        <Button size="sm" variant="default" leftSection={<IconTrash size={16} />} onClick={remove}>
          Delete
        </Button>
      </div>
    </Group>
  );
}
