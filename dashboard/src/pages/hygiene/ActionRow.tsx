import { Button, Checkbox } from "@mantine/core";
import { IconArrowBackUp, IconChevronRight } from "@tabler/icons-react";
import { memo } from "react";
import { Link } from "wouter";
import { Confidence, Tag } from "~/parts/Tag";
import { useProject } from "~/shell/project";
import { ActionDetail } from "./ActionDetail";
import classes from "./hygiene.module.css";
import type { ActionOutcome } from "./plans";
import { isIrreversible, itemIdsOf, describeReason, type Action } from "./actions";

function OutcomeText({ action, outcome }: { action: Action; outcome?: ActionOutcome }) {
  if (outcome && outcome.status !== "success")
    return (
      <p className={classes.outcome} role="status">
        <Tag tone={outcome.status === "failed" ? "bad" : "warn"}>{outcome.status}</Tag>{" "}
        {describeReason(outcome)}
      </p>
    );
  if (action.applied)
    return isIrreversible(action) ? (
      <p className={classes.outcome}>
        <Tag tone="good">applied</Tag> This can&apos;t be undone: the removed text was not kept.
      </p>
    ) : null;
  return null;
}

interface Props {
  action: Action;
  outcome?: ActionOutcome;
  /** True if the user has write access and the plan has not expired. */
  editable: boolean;
  selected: boolean;
  open: boolean;
  busy: boolean;
  select: (id: string) => void;
  toggle: (id: string) => void;
  undo: (id: string) => void;
  onFocus: (id: string) => void;
}

export const ActionRow = memo(function ActionRow(props: Props) {
  const { action, outcome, editable, selected, open, busy, select, toggle, undo, onFocus } = props;
  const project = useProject();
  const [first] = itemIdsOf(action);
  return (
    <li
      className={classes.action}
      data-action={action.id}
      data-done={action.applied}
      data-selected={selected}
      onFocus={() => onFocus(action.id)}
    >
      <div className={classes.row}>
        {editable && (
          <Checkbox
            className={classes.checkbox}
            checked={selected}
            disabled={action.applied}
            onChange={() => select(action.id)}
            aria-label={`Select: ${action.description}`}
          />
        )}
        <div className={classes.body}>
          <h4 className={classes.title}>
            <button type="button" aria-expanded={open} onClick={() => toggle(action.id)} data-open-button>
              <IconChevronRight size={16} className={classes.chevron} aria-hidden />
              <span>{action.description}</span>
            </button>
          </h4>
          <div className={classes.facts}>
            {action.applied && !isIrreversible(action) && <Tag tone="good">applied</Tag>}
            <Confidence value={action.confidence} title="How confident this check is in the suggestion" />
            {action.requiresHumanApproval && (
              <Tag tone="warn" title="This change may remove information">
                needs review
              </Tag>
            )}
            {first !== undefined && (
              <Link className={classes.itemLink} href={`/p/${project.id}/memory/${first}`}>
                {action.type === "MERGE_MEMORIES" ? "Open merge target" : "Open memory"}
              </Link>
            )}
          </div>
          <OutcomeText action={action} outcome={outcome} />
        </div>
        {editable && action.applied && !isIrreversible(action) && (
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
          <ActionDetail action={action} />
        </div>
      )}
    </li>
  );
});
