import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Switch, TextInput } from "@mantine/core";
import { IconPlayerPlay } from "@tabler/icons-react";
import type { FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { useProject } from "~/shell/project";
import classes from "./genesis.module.css";

/** Form values; kept while the page is open so a retry starts with the same options. */
export interface ScanOptions {
  branch: string;
  maxFiles: number | string;
  selective: boolean;
}

export const DEFAULT_OPTIONS: ScanOptions = { branch: "main", maxFiles: 500, selective: false };
const MAX_FILES = 5000;

interface Props {
  options: ScanOptions;
  setOptions: (options: ScanOptions) => void;
  /** Whether there is an earlier scan to compare with. */
  hasPreviousScan: boolean;
  onStarted?: () => void;
}

export function ScanForm({ options, setOptions, hasPreviousScan, onStarted }: Props) {
  const project = useProject();
  const send = useSend("post", "/api/v2/scans", { invalidates: ["/api/v2/scans"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { branch, maxFiles, selective } = options;
    const body = {
      projectId: project.id,
      branch: branch.trim() || DEFAULT_OPTIONS.branch,
      maxFiles: Number(maxFiles) || Number(DEFAULT_OPTIONS.maxFiles),
      selective: selective && hasPreviousScan,
    };
    send.mutate({ body }, { onSuccess: () => onStarted?.() });
  };
  return (
    <form onSubmit={submit} aria-label="New scan">
      <Stack>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label="Branch"
            description="The latest commit is scanned."
            maxLength={255}
            autoComplete="off"
            value={options.branch}
            onChange={(event) => setOptions({ ...options, branch: event.currentTarget.value })}
          />
          <NumberInput
            label="Max files"
            description="Most relevant files first."
            min={1}
            max={MAX_FILES}
            clampBehavior="strict"
            allowDecimal={false}
            allowNegative={false}
            thousandSeparator=","
            hideControls
            value={options.maxFiles}
            onChange={(maxFiles) => setOptions({ ...options, maxFiles })}
          />
        </SimpleGrid>
        <Switch
          label="Changed files only"
          description={
            hasPreviousScan
              ? "Skip files that have not changed since the last complete scan."
              : "Available after the first complete scan."
          }
          disabled={!hasPreviousScan}
          checked={options.selective && hasPreviousScan}
          onChange={(event) => setOptions({ ...options, selective: event.currentTarget.checked })}
        />
        <Group justify="space-between" gap="sm">
          <span className={classes.note}>The scan runs in the background. You can leave this page.</span>
          <Button type="submit" loading={send.isPending} leftSection={<IconPlayerPlay size={16} />}>
            Start scan
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function ScanDialog({ opened, close, ...form }: Props & { opened: boolean; close: () => void }) {
  return (
    <Modal opened={opened} onClose={close} title="Scan again" size="lg">
      <ScanForm {...form} onStarted={close} />
    </Modal>
  );
}
