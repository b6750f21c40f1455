import { Checkbox, Text, Title } from "@mantine/core";
import { formatNumber } from "~/parts/format";
import { ActionRow } from "./ActionRow";
import classes from "./hygiene.module.css";
import type { ActionOutcome } from "./plans";
import type { Action, Kind } from "./actions";

interface Props {
  kind: Kind;
  name: string;
  about: string;
  actions: Action[];
  editable: boolean;
  busy: boolean;
  selected: ReadonlySet<string>;
  open: ReadonlySet<string>;
  outcomes: ReadonlyMap<string, ActionOutcome>;
  selectAll: (actions: Action[], on: boolean) => void;
  select: (id: string) => void;
  toggle: (id: string) => void;
  undo: (id: string) => void;
  onFocus: (id: string) => void;
}

/** All suggestions of one type. */
export function ActionGroup({ kind, name, about, actions, selectAll, ...rest }: Props) {
  const { editable, selected } = rest;
  const pending = actions.filter((action) => !action.applied);
  const selectedCount = pending.filter((action) => selected.has(action.id)).length;
  return (
    <section className={classes.group} aria-labelledby={`kind-${kind}`}>
      <header className={classes.groupHead}>
        {editable && (
          <Checkbox
            className={classes.checkbox}
            aria-label={`Select all: ${name}`}
            disabled={pending.length === 0}
            checked={pending.length > 0 && selectedCount === pending.length}
            indeterminate={selectedCount > 0 && selectedCount < pending.length}
            onChange={() => selectAll(pending, selectedCount < pending.length)}
          />
        )}
        <div>
          <Title order={3} size="h5" id={`kind-${kind}`}>
            {name} <span className={classes.groupCount}>{formatNumber(actions.length)}</span>
          </Title>
          <Text size="xs" c="dimmed">
            {about}
          </Text>
        </div>
      </header>
      <ul className={classes.actions} aria-label={name}>
        {actions.map((action) => (
          <ActionRow
            key={action.id}
            action={action}
            outcome={rest.outcomes.get(action.id)}
            editable={editable}
            selected={selected.has(action.id)}
            open={rest.open.has(action.id)}
            busy={rest.busy}
            select={rest.select}
            toggle={rest.toggle}
            undo={rest.undo}
            onFocus={rest.onFocus}
          />
        ))}
      </ul>
    </section>
  );
}
