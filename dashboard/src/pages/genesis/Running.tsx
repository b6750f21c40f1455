import { Button, Group, Modal, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import parts from "~/parts/parts.module.css";
import { amount, Time } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { Figures } from "./Figures";
import classes from "./genesis.module.css";
import { PHASES, reached, type Scan } from "./phases";
import { Steps } from "./Steps";

function Cancel({ scan, onCancelled }: { scan: Scan; onCancelled: () => void }) {
  const project = useProject();
  const [asking, setAsking] = useState(false);
  const cancel = useSend("post", "/api/v2/scans/cancel", { touches: ["/api/v2/scans"] });
  const act = () =>
    cancel.mutate(
      { body: { projectId: project.id } },
      { onSuccess: onCancelled, onSettled: () => setAsking(false) },
    );
  return (
    <>
      <Button variant="default" flex="none" onClick={() => setAsking(true)}>
        Cancel
      </Button>
      <Modal opened={asking} onClose={() => setAsking(false)} title="Cancel the scan?">
        <Stack>
          <Text size="sm">
            It ends after the phase it is in. What it has found is kept and shown here
            {scan.findingsCount > 0 && ` (${amount(scan.findingsCount, "finding")} by now)`}, but none of it
            becomes memory: half a look should not be remembered as a whole one.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              Let it go on
            </Button>
            <Button color="red.8" loading={cancel.isPending} onClick={act}>
              Cancel the scan
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** A scan at work: which phase, how far, how much. */
export function Running({ scan, mayCancel }: { scan: Scan; mayCancel: boolean }) {
  const [cancelled, setCancelled] = useState("");
  const ending = cancelled === scan.id;
  const phase = PHASES[reached(scan)];
  const percent = Math.round(scan.progress * 100);
  return (
    <section className={parts.card} aria-labelledby="running">
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="md">
        <div>
          <Title order={2} size="h4" id="running">
            {ending ? "The scan is ending" : "The codebase is being read"}
          </Title>
          <Text size="sm" c="dimmed" role="status">
            {ending ? "It ends after this phase; what was found is kept." : phase?.about}
          </Text>
        </div>
        {mayCancel && !ending && <Cancel scan={scan} onCancelled={() => setCancelled(scan.id)} />}
      </Group>
      <Steps scan={scan} />
      <div className={classes.bar}>
        <div
          className={parts.meter}
          role="progressbar"
          aria-label="Progress of the scan"
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
      <Figures
        figures={[
          ["Files read", scan.filesProcessed, scan.filesTotal],
          ["Chunks read", scan.chunksProcessed, scan.chunksTotal],
          ["Findings", scan.findingsCount],
          ["Started", <Time key="at" at={scan.startedAt} />],
        ]}
      />
    </section>
  );
}
