import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { Diff } from "./Diff";
import classes from "./parts.module.css";

interface Props {
  /** What was being edited: a memory, a context. */
  of: string;
  theirs: string;
  mine: string;
  keepMine: () => void;
  takeTheirs: () => void;
  goOn: () => void;
}

/** Two people have changed the same thing: both are shown, and the one who came second decides. */
export function Clash({ of, theirs, mine, keepMine, takeTheirs, goOn }: Props) {
  return (
    <Paper withBorder p="md" role="alert" className={classes.clash}>
      <Stack gap="sm">
        <Text fw={600}>Somebody has changed this {of} meanwhile</Text>
        <Text size="sm">
          Lines with a minus are theirs, lines with a plus are yours. Nothing of yours has been saved yet.
        </Text>
        <Diff before={theirs} after={mine} label="Their version against yours" />
        <Group gap="xs">
          <Button onClick={keepMine}>Save mine</Button>
          <Button variant="default" onClick={takeTheirs}>
            Take theirs
          </Button>
          <Button variant="subtle" onClick={goOn}>
            Go on editing mine
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
