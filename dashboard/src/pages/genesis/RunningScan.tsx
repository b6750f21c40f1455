import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import parts from "~/parts/parts.module.css";
import { pluralize, RelativeTime } from "~/parts/format";
import { useProject } from "~/shell/project";
import { Stats } from "./Stats";
import classes from "./genesis.module.css";
import { PHASES, phaseIndex, type Scan } from "./phases";
import { PhaseSteps } from "./PhaseSteps";

function CancelButton({ scan, onCancelled }: { scan: Scan; onCancelled: () => void }) {
  const project = useProject();
  const [confirming, setConfirming] = useState(false);
  const cancel = useSend("post", "/api/v2/scans/cancel", { invalidates: ["/api/v2/scans"] });
  const confirm = () =>
    cancel.mutate(
      { body: { projectId: project.id } },
      { onSuccess: onCancelled, onSettled: () => setConfirming(false) },
    );
  return (
    <>
      <Button variant="default" flex="none" onClick={() => setConfirming(true)}>
        Cancel
      </Button>
      <Modal opened={confirming} onClose={() => setConfirming(false)} title="Cancel scan?">
        <Stack>
          <Text size="sm">
            The scan stops after the current phase. Findings so far
            {scan.findingsCount > 0 && ` (${pluralize(scan.findingsCount, "finding")})`} stay listed here but
            are not added to memory.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setConfirming(false)} data-autofocus>
              Keep running
            </Button>
            <Button color="red.8" loading={cancel.isPending} onClick={confirm}>
              Cancel scan
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Progress of a running scan. */
export function RunningScan({ scan, canCancel }: { scan: Scan; canCancel: boolean }) {
  const [cancelledScanId, setCancelledScanId] = useState("");
  const cancelling = cancelledScanId === scan.id;
  const phase = PHASES[phaseIndex(scan)];
  const percent = Math.round(scan.progress * 100);
  return (
    <section className={parts.card} aria-labelledby="running">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <div>
          <Title order={2} size="h4" id="running">
            {cancelling ? "Canceling scan" : "Scanning the codebase"}
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {cancelling ? "Stopping after this phase. Findings so far are kept." : phase?.about}
          </Text>
        </div>
        {canCancel && !cancelling && (
          <CancelButton scan={scan} onCancelled={() => setCancelledScanId(scan.id)} />
        )}
      </Group>
      <PhaseSteps scan={scan} />
      <div className={classes.bar}>
        <div
          className={parts.meter}
          role="progressbar"
          aria-label="Scan progress"
          aria-valuemin={0}
          aria-valuemax={100}
          aria-valuenow={percent}
        >
          <div className={parts.meterFill} style={{ width: `${Math.max(2, percent)}%` }} />
        </div>
        <Text size="sm" ta="right">
          {percent}%
        </Text>
      </div>
      <Stats
        stats={[
          ["Files analyzed", scan.filesProcessed, scan.filesTotal],
          ["Chunks analyzed", scan.chunksProcessed, scan.chunksTotal],
          ["Findings", scan.findingsCount],
          ["Started", <RelativeTime key="at" at={scan.startedAt} />],
        ]}
      />
    </section>
  );
}
