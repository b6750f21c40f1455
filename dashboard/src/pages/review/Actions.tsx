import { ActionIcon, Button, Group, Tooltip } from "@mantine/core";
import {
  IconArchive,
  IconArrowBackUp,
  IconArrowLeft,
  IconArrowRight,
  IconCheck,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Key } from "~/parts/keys";
import type { Tab } from "./queue";
import classes from "./review.module.css";

export interface Doing {
  next: () => void;
  previous: () => void;
  approve: () => void;
  deprecate: () => void;
  both: () => void;
  edit: () => void;
  remove: () => void;
  undo: () => void;
}

function Icon({ label, act, children }: { label: string; act: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="input-sm" aria-label={label} onClick={act}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

interface Props {
  doing: Doing;
  tab: Tab;
  /** Whether there is another one to choose against. */
  against: boolean;
  mayWrite: boolean;
  mayUndo: boolean;
}

/** Within reach of a thumb; each with the key that does the same. */
export function Actions({ doing, tab, against, mayWrite, mayUndo }: Props) {
  const key = (name: string) => (
    <span className={classes.hint} aria-hidden>
      <Key>{name}</Key>
    </span>
  );
  return (
    <Group className={classes.actions} role="toolbar" aria-label="Judgement" gap="xs">
      {mayWrite && (
        <>
          <Button
            className={classes.judge}
            leftSection={<IconCheck size={16} />}
            rightSection={key("a")}
            onClick={doing.approve}
          >
            {against ? "Keep this" : tab === "stale" ? "It still holds" : "Approve"}
          </Button>
          <Button
            className={classes.judge}
            variant="default"
            leftSection={<IconArchive size={16} />}
            rightSection={key("d")}
            onClick={doing.deprecate}
          >
            {against ? "Keep the other" : "Deprecate"}
          </Button>
          {against && (
            <Button className={classes.judge} variant="default" rightSection={key("b")} onClick={doing.both}>
              Keep both
            </Button>
          )}
          <Icon label="Edit" act={doing.edit}>
            <IconPencil size={16} />
          </Icon>
          <Icon label="Delete" act={doing.remove}>
            <IconTrash size={16} />
          </Icon>
          {mayUndo && (
            <Icon label="Undo the last judgement" act={doing.undo}>
              <IconArrowBackUp size={16} />
            </Icon>
          )}
        </>
      )}
      <Group gap="xs" ml="auto">
        <Icon label="Previous" act={doing.previous}>
          <IconArrowLeft size={16} />
        </Icon>
        <Icon label="Next" act={doing.next}>
          <IconArrowRight size={16} />
        </Icon>
      </Group>
    </Group>
  );
}
