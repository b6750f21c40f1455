import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "~/api/client";
import { pluralize } from "~/parts/format";
import { showSuccess, showError } from "~/parts/toast";
import { refreshContexts } from "./contexts";
import type { Node } from "./contextTree";

interface Props {
  node: Node;
  opened: boolean;
  close: () => void;
  onDeleted: () => void;
}

/** Asks for confirmation, because deleting a context can't be undone. */
export function DeleteDialog({ node, opened, close, onDeleted }: Props) {
  const cache = useQueryClient();
  const [busy, setBusy] = useState(false);
  const { context, parent, children } = node;
  const send = async () => {
    setBusy(true);
    try {
      await call("delete", "/api/contexts/{id}", { path: { id: context.id } });
      close();
      onDeleted();
      showSuccess(`Deleted “${context.name}”.`);
      void refreshContexts(cache);
    } catch (error) {
      showError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal opened={opened} onClose={close} title={`Delete “${context.name}”?`}>
      <Stack gap="sm">
        <Text size="sm">
          This permanently deletes the context&apos;s text and history. To hide it from agents without
          deleting it, deprecate it instead.
        </Text>
        {children.length > 0 && (
          <Text size="sm">
            {pluralize(children.length, "child context")} {children.length === 1 ? "moves" : "move"} up
            {parent ? ` to “${parent.context.name}”` : " to the top level"}.
          </Text>
        )}
        <Text size="sm">Memories with the schema key {context.schemaKey} are kept.</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={busy} onClick={() => void send()}>
            Delete
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
