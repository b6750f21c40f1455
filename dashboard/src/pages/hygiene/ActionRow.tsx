import { Button, Checkbox } from "@mantine/core";
import { IconArrowBackUp, IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "wouter";
import { Confidence, Tag } from "~/parts/Tag";
import { useProject } from "~/shell/project";
import { Detail } from "./Detail";
import classes from "./hygiene.module.css";
import type { Told } from "./tidying";
import { isFinal, itemsOf, reasonOf, type Action } from "./words";

function Outcome({ action, told }: { action: Action; told?: Told }) {
  if (told && told.status !== "success")
    return (
      <p className={classes.outcome} role="status">
        <Tag tone={told.status === "failed" ? "bad" : "warn"}>{told.status}</Tag> {reasonOf(told)}
      </p>
    );
  if (action.applied)
    return isFinal(action) ? (
      <p className={classes.outcome}>
        <Tag tone="good">done</Tag> It cannot be undone: what was taken out is kept nowhere.
      </p>
    ) : null;
  return null;
}

interface Props {
  action: Action;
  told?: Told;
  /** Whether anything can be done: who may write, and a plan that still holds. */
  live: boolean;
  selected: boolean;
  open: boolean;
  busy: boolean;
  select: (id: string) => void;
  toggle: (id: string) => void;
  undo: (id: string) => void;
  focused: (id: string) => void;
}

export const ActionRow = memo(function ActionRow(props: Props) {
  const { action, told, live, selected, open, busy, select, toggle, undo, focused } = props;
  const project = useProject();
  const [first] = itemsOf(action);
  return (
    <li
      className={classes.action}
      data-action={action.id}
      data-done={action.applied}
      data-selected={selected}
      onFocus={() => focused(action.id)}
    >
      <div className={classes.row}>
        {live && (
          <Checkbox
            className={classes.box}
            checked={selected}
            disabled={action.applied}
            onChange={() => select(action.id)}
            aria-label={`Select: ${action.description}`}
          />
        )}
        <div className={classes.words}>
          <h4 className={classes.title}>
            <button type="button" aria-expanded={open} onClick={() => toggle(action.id)} data-open-button>
              <IconChevronRight size={16} className={classes.chevron} aria-hidden />
              <span>{action.description}</span>
            </button>
          </h4>
          <div className={classes.facts}>
            {action.applied && !isFinal(action) && <Tag tone="good">done</Tag>}
            <Confidence value={action.confidence} />
            {action.requiresHumanApproval && (
              <Tag tone="warn" title="It can take something from a reader">
                needs a person
              </Tag>
            )}
            {first !== undefined && (
              <Link className={classes.itemLink} href={`/p/${project.id}/memory/${first}`}>
                {action.type === "MERGE_MEMORIES" ? "Open the one that stays" : "Open the memory"}
              </Link>
            )}
          </div>
          <Outcome action={action} told={told} />
        </div>
        {live && action.applied && !isFinal(action) && (
          <Button
            size="compact-sm"
            variant="default"
            className={classes.undo}
            leftSection={<IconArrowBackUp size={14} />}
            disabled={busy}
            onClick={() => undo(action.id)}
          >
            Undo
          </Button>
        )}
      </div>
      {open && (
        <div className={classes.detail}>
          <Detail action={action} />
        </div>
      )}
    </li>
  );
});
