import { Modal, NavLink, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowBarToUp, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { formatNumber } from "~/parts/format";
import { moveError, type Node, type Tree } from "./contextTree";
import classes from "./detail.module.css";

interface Props {
  node: Node;
  tree: Tree;
  opened: boolean;
  close: () => void;
  move: (node: Node, target: Node | null) => void;
}

const MAX_SHOWN = 60;

/** Moves a context without dragging: a searchable list of possible parents. */
export function MoveDialog({ node, tree, opened, close, move }: Props) {
  const [filter, setFilter] = useState("");
  const query = filter.trim().toLowerCase();
  const matching = [...tree.byId.values()].filter(
    ({ context }) => context.name.toLowerCase().includes(query) || context.schemaKey.includes(query),
  );
  const allowed = matching.filter((target) => moveError(node, target) === null);
  const choose = (target: Node | null) => {
    close();
    move(node, target);
  };
  return (
    <Modal opened={opened} onClose={close} title={`Move “${node.context.name}” to…`}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {node.descendants > 0 ? `Nested contexts (${formatNumber(node.descendants)}) move with it. ` : ""}
          The schema key stays {node.context.schemaKey}.
        </Text>
        <TextInput
          data-autofocus
          aria-label="Search for a new parent"
          placeholder="Search for a new parent"
          leftSection={<IconSearch size={16} />}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <div className={classes.choices} role="group" aria-label="Possible parents" tabIndex={-1}>
          {!query && moveError(node, null) === null && (
            <NavLink
              component="button"
              type="button"
              label="Top level"
              description="No parent context"
              leftSection={<IconArrowBarToUp size={16} />}
              onClick={() => choose(null)}
            />
          )}
          {allowed.slice(0, MAX_SHOWN).map((target) => (
            <NavLink
              key={target.context.id}
              component="button"
              type="button"
              label={target.context.name}
              description={target.context.schemaKey}
              onClick={() => choose(target)}
            />
          ))}
        </div>
        {allowed.length === 0 && (
          <Text size="sm" c="dimmed">
            {matching.length === 0
              ? "No context matches that name or key."
              : matching.length === 1
                ? moveError(node, matching[0]!)
                : "The context can't be moved to any of these. Each one is already its parent, is nested under it, would make the tree too deep, or belongs to a project while the context is team-wide."}
          </Text>
        )}
        {allowed.length > MAX_SHOWN && (
          <Text size="sm" c="dimmed">
            {formatNumber(allowed.length - MAX_SHOWN)} more. Type to narrow the list.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
