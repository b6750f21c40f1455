import { Button, CloseButton, Group, Text } from "@mantine/core";
import { IconArchive, IconCheck, IconTrash } from "@tabler/icons-react";
import { formatNumber } from "~/parts/format";
import classes from "./memory.module.css";

interface Props {
  selected: number;
  loaded: number;
  approve: () => void;
  deprecate: () => void;
  remove: () => void;
  selectAll: () => void;
  clear: () => void;
}

/** Toolbar for the selected memories. */
export function BulkActions({ selected, loaded, approve, deprecate, remove, selectAll, clear }: Props) {
  if (selected === 0) return null;
  return (
    <Group className={classes.bulk} role="toolbar" aria-label="Selected memories" gap="xs">
      <CloseButton aria-label="Clear selection" onClick={clear} />
      <Text size="sm" fw={600} aria-live="polite">
        {formatNumber(selected)} selected
      </Text>
      {selected < loaded && (
        <Button variant="subtle" size="compact-sm" onClick={selectAll}>
          Select all {formatNumber(loaded)}
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
