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
import { Kbd } from "~/parts/shortcuts";
import type { Tab } from "./queue";
import classes from "./review.module.css";

export interface ReviewActions {
  next: () => void;
  previous: () => void;
  approve: () => void;
  deprecate: () => void;
  keepBoth: () => void;
  edit: () => void;
  remove: () => void;
  undo: () => void;
}

function IconButton({
  label,
  onClick,
  children,
}: {
  label: string;
  onClick: () => void;
  children: ReactNode;
}) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="default" size="input-sm" aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

interface Props {
  actions: ReviewActions;
  tab: Tab;
  /** Whether the item conflicts with another one, so both are shown. */
  inConflict: boolean;
  canWrite: boolean;
  canUndo: boolean;
}

/** Review buttons with their keyboard shortcuts. */
export function ActionBar({ actions, tab, inConflict, canWrite, canUndo }: Props) {
  const key = (name: string) => (
    <span className={classes.hint} aria-hidden>
      <Kbd>{name}</Kbd>
    </span>
  );
  return (
    <Group className={classes.actions} role="toolbar" aria-label="Review actions" gap="xs">
      {canWrite && (
        <>
          <Button
            className={classes.decision}
            leftSection={<IconCheck size={16} />}
            rightSection={key("a")}
            onClick={actions.approve}
          >
            {inConflict ? "Keep this" : tab === "stale" ? "Mark as valid" : "Approve"}
          </Button>
          <Button
            className={classes.decision}
            variant="default"
            leftSection={<IconArchive size={16} />}
            rightSection={key("d")}
            onClick={actions.deprecate}
          >
            {inConflict ? "Keep other" : "Deprecate"}
          </Button>
          {inConflict && (
            <Button
              className={classes.decision}
              variant="default"
              rightSection={key("b")}
              onClick={actions.keepBoth}
            >
              Keep both
            </Button>
          )}
          <IconButton label="Edit" onClick={actions.edit}>
            <IconPencil size={16} />
          </IconButton>
          <IconButton label="Delete" onClick={actions.remove}>
            <IconTrash size={16} />
          </IconButton>
          {canUndo && (
            <IconButton label="Undo last decision" onClick={actions.undo}>
              <IconArrowBackUp size={16} />
            </IconButton>
          )}
        </>
      )}
      <Group gap="xs" ml="auto">
        <IconButton label="Previous" onClick={actions.previous}>
          <IconArrowLeft size={16} />
        </IconButton>
        <IconButton label="Next" onClick={actions.next}>
          <IconArrowRight size={16} />
        </IconButton>
      </Group>
    </Group>
  );
}
