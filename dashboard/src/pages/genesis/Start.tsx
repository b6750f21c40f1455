import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import type { FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { useProject } from "~/shell/project";
import classes from "./genesis.module.css";

/** How a scan is wanted; kept while the page is open, so that a second try begins with the same words. */
export interface Wanted {
  branch: string;
  maxFiles: number | string;
  selective: boolean;
}

export const AS_USUAL: Wanted = { branch: "main", maxFiles: 500, selective: false };
const MOST_FILES = 5000;

interface Props {
  wanted: Wanted;
  setWanted: (wanted: Wanted) => void;
  /** Whether there was a scan before: then there is something to compare with. */
  again: boolean;
  done?: () => void;
}

export function StartForm({ wanted, setWanted, again, done }: Props) {
  const project = useProject();
  const send = useSend("post", "/api/v2/scans", { touches: ["/api/v2/scans"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { branch, maxFiles, selective } = wanted;
    const body = {
      projectId: project.id,
      branch: branch.trim() || AS_USUAL.branch,
      maxFiles: Number(maxFiles) || Number(AS_USUAL.maxFiles),
      selective: selective && again,
    };
    send.mutate({ body }, { onSuccess: () => done?.() });
  };
  return (
    <form onSubmit={submit} aria-label="A new scan">
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Branch"
            description="Its newest commit is read."
            maxLength={255}
            autoComplete="off"
            value={wanted.branch}
            onChange={(event) => setWanted({ ...wanted, branch: event.currentTarget.value })}
          />
          <NumberInput
            label="Files at most"
            description="The most telling ones come first."
            min={1}
            max={MOST_FILES}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            value={wanted.maxFiles}
            onChange={(maxFiles) => setWanted({ ...wanted, maxFiles })}
          />
        </SimpleGrid>
        <Switch
          label="Only what has changed"
          description={
            again
              ? "Files that are the same as at the last complete scan are not read again."
              : "For the next time: it needs a complete scan to compare with."
          }
          disabled={!again}
          checked={wanted.selective && again}
          onChange={(event) => setWanted({ ...wanted, selective: event.currentTarget.checked })}
        />
        <Group justify="space-between" gap="sm">
          <span className={classes.note}>It runs in the background: you may leave this page.</span>
          <Button type="submit" loading={send.isPending} leftSection={<IconPlayerPlay size={16} />}>
            Start the scan
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function StartDialog({ opened, close, ...form }: Props & { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Scan the codebase again" size="lg">
      <StartForm {...form} done={close} />
    </Modal>
  );
}
