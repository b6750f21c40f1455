import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { Diff } from "./Diff";
import classes from "./parts.module.css";

interface Props {
  /** What was being edited, such as "memory" or "context". */
  noun: string;
  theirs: string;
  mine: string;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
  onKeepEditing: () => void;
}

/** Shown when someone else saved the same thing first: compares both versions and lets the user choose. */
export function EditConflict({ noun, theirs, mine, onKeepMine, onTakeTheirs, onKeepEditing }: Props) {
  return (
    <Paper withBorder p="md" role="alert" className={classes.conflict}>
      <Stack gap="sm">
        <Text fw={600}>Someone else changed this {noun}</Text>
        <Text size="sm">
          Your changes are not saved yet. Lines marked − are theirs, lines marked + are yours.
        </Text>
        <Diff before={theirs} after={mine} label="Their version compared with yours" />
        <Group gap="xs">
          <Button onClick={onKeepMine}>Save mine</Button>
          <Button variant="default" onClick={onTakeTheirs}>
            Use theirs
          </Button>
          <Button variant="subtle" onClick={onKeepEditing}>
            Keep editing
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
