import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Asked before something that cannot be taken back. */
export function Confirm({
  opened,
  title,
  act,
  busy,
  onAct,
  onClose,
  children,
}: {
  opened: boolean;
  title: string;
  /** What the button says it does. */
  act: string;
  busy?: boolean;
  onAct: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Modal opened={opened} onClose={onClose} title={title}>
      <Stack>
        <Text size="sm" component="div">
          {children}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red.8" loading={busy} onClick={onAct}>
            {act}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
