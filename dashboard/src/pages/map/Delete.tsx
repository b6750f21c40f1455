import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "~/api/client";
import { amount } from "~/parts/Time";
import { showDone, showProblem } from "~/parts/toast";
import { touchContexts } from "./contexts";
import type { Node } from "./places";

interface Props {
  node: Node;
  opened: boolean;
  close: () => void;
  gone: () => void;
}

/** Asked first: there is no way back. */
export function Delete({ node, opened, close, gone }: Props) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const { place, above, children } = node;
  const send = async () => {
    setBusy(true);
    try {
      await call("delete", "/api/contexts/{id}", { path: { id: place.id } });
      close();
      gone();
      showDone(`Deleted “${place.name}”`);
      void touchContexts(cache);
    } catch (problem) {
      showProblem(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={`Delete “${place.name}”?`}>
      <Stack gap="sm">
        <Text size="sm">
          Its text and its history go for ever; that cannot be undone. To keep it away from agents only,
          deprecate it.
        </Text>
        {children.length > 0 && (
          <Text size="sm">
            {amount(children.length, "context")} below it {children.length === 1 ? "moves" : "move"} up
            {above ? ` to “${above.place.name}”` : " to the top"}.
          </Text>
        )}
        <Text size="sm">Memories with the key {place.schemaKey} stay.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Keep it
          </Button>
          <Button color="red" loading={busy} onClick={() => void send()}>
            Delete for ever
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
