import { Checkbox, Text, Title } from "@mantine/core";
import { count } from "~/parts/Time";
import { ActionRow } from "./ActionRow";
import classes from "./hygiene.module.css";
import type { Told } from "./tidying";
import type { Action, Kind } from "./words";

interface Props {
  kind: Kind;
  name: string;
  about: string;
  actions: Action[];
  live: boolean;
  busy: boolean;
  selected: ReadonlySet<string>;
  open: ReadonlySet<string>;
  told: ReadonlyMap<string, Told>;
  selectAll: (actions: Action[], on: boolean) => void;
  select: (id: string) => void;
  toggle: (id: string) => void;
  undo: (id: string) => void;
  focused: (id: string) => void;
}

/** All proposals of one kind. */
export function Group({ kind, name, about, actions, selectAll, ...rest }: Props) {
  const { live, selected } = rest;
  const free = actions.filter((action) => !action.applied);
  const chosen = free.filter((action) => selected.has(action.id)).length;
  return (
    <section className={classes.group} aria-labelledby={`kind-${kind}`}>
      <header className={classes.groupHead}>
        {live && (
          <Checkbox
            className={classes.box}
            aria-label={`Select all: ${name}`}
            disabled={free.length === 0}
            checked={free.length > 0 && chosen === free.length}
            indeterminate={chosen > 0 && chosen < free.length}
            onChange={() => selectAll(free, chosen < free.length)}
          />
        )}
        <div>
          <Title order={3} size="h5" id={`kind-${kind}`}>
            {name} <span className={classes.groupCount}>{count(actions.length)}</span>
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
            told={rest.told.get(action.id)}
            live={live}
            selected={selected.has(action.id)}
            open={rest.open.has(action.id)}
            busy={rest.busy}
            select={rest.select}
            toggle={rest.toggle}
            undo={rest.undo}
            focused={rest.focused}
          />
        ))}
      </ul>
    </section>
  );
}
