import { Modal, NavLink, Stack, Text, TextInput } from "@mantine/core";
import { IconArrowBarToUp, IconSearch } from "@tabler/icons-react";
import { useState } from "react";
import { count } from "~/parts/Time";
import { refusal, type Node, type Tree } from "./places";
import classes from "./detail.module.css";

interface Props {
  node: Node;
  tree: Tree;
  opened: boolean;
  close: () => void;
  move: (node: Node, target: Node | null) => void;
}

const SHOWN = 60;

/** Move without dragging: a list of the places it may go to. */
export function MoveTo({ node, tree, opened, close, move }: Props) {
  const [words, setWords] = useState("");
  const wanted = words.trim().toLowerCase();
  const open = [...tree.byId.values()].filter(
    ({ place }) => place.name.toLowerCase().includes(wanted) || place.schemaKey.includes(wanted),
  );
  const allowed = open.filter((target) => refusal(node, target) === null);
  const choose = (target: Node | null) => {
    close();
    move(node, target);
  };
  return (
    <Modal opened={opened} onClose={close} title={`Move “${node.place.name}” to…`}>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {node.below > 0 ? `The ${count(node.below)} below it move along. ` : ""}Its schema key stays{" "}
          {node.place.schemaKey}.
        </Text>
        <TextInput
          data-autofocus
          aria-label="Find the new place"
          placeholder="Find the new place"
          leftSection={<IconSearch size={16} />}
          value={words}
          onChange={(event) => setWords(event.currentTarget.value)}
        />
        <div className={classes.choices} role="group" aria-label="Places it may go to" tabIndex={-1}>
          {!wanted && refusal(node, null) === null && (
            <NavLink
              component="button"
              type="button"
              label="The top"
              description="Below no other context"
              leftSection={<IconArrowBarToUp size={16} />}
              onClick={() => choose(null)}
            />
          )}
          {allowed.slice(0, SHOWN).map((target) => (
            <NavLink
              key={target.place.id}
              component="button"
              type="button"
              label={target.place.name}
              description={target.place.schemaKey}
              onClick={() => choose(target)}
            />
          ))}
        </div>
        {allowed.length === 0 && (
          <Text size="sm" c="dimmed">
            {open.length === 0
              ? "No context is called so."
              : open.length === 1
                ? refusal(node, open[0]!)
                : "It cannot go there: it stands there already, or those stand below it, or belong to one project only."}
          </Text>
        )}
        {allowed.length > SHOWN && (
          <Text size="sm" c="dimmed">
            and {count(allowed.length - SHOWN)} more: type a part of the name.
          </Text>
        )}
      </Stack>
    </Modal>
  );
}
