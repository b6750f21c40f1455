import { Anchor as MantineAnchor, Button, Group, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconPlayerStop } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import parts from "~/parts/parts.module.css";
import { RelativeTime } from "~/parts/format";
import { useCanManage, useProject } from "~/shell/project";
import { Stats } from "./Stats";
import classes from "./genesis.module.css";
import { formatDuration, type Scan } from "./phases";
import { PhaseSteps } from "./PhaseSteps";

const durationSeconds = (scan: Scan) =>
  scan.completedAt ? (Date.parse(scan.completedAt) - Date.parse(scan.startedAt)) / 1000 : 0;

function TextLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <MantineAnchor component={Link} href={href} inherit underline="always">
      {children}
    </MantineAnchor>
  );
}

function Head({ scan, onRescan }: { scan: Scan; onRescan?: () => void }) {
  const project = useProject();
  const canManage = useCanManage();
  let icon: ReactNode = <IconCircleCheck size={22} className={classes.good} />;
  let title = "Scan complete";
  let message: ReactNode = "Findings are listed below and added to Memory and Map for review.";
  if (scan.phase === "complete" && scan.error) {
    icon = <IconAlertTriangle size={22} className={classes.bad} />;
    title = "Scan incomplete";
    message = `${scan.error} Findings from the other files are listed below and added to Memory for review.`;
  } else if (scan.phase === "failed") {
    icon = <IconAlertTriangle size={22} className={classes.bad} />;
    title = "Scan failed";
    message = scan.error ?? "The server gave no reason.";
  } else if (scan.phase === "cancelled") {
    icon = <IconPlayerStop size={22} />;
    title = "Scan canceled";
    message = "Findings so far are listed below. They were not added to memory.";
  }
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="md">
      <Group gap="sm" align="flex-start" wrap="nowrap" flex="1 1 16rem" miw={0}>
        <span className={classes.headIcon} aria-hidden>
          {icon}
        </span>
        <div className={classes.headText}>
          <Title order={2} size="h4" id="ended">
            {title}
          </Title>
          <Text size="sm" c={scan.phase === "failed" ? undefined : "dimmed"} role="status">
            {message}
          </Text>
          {scan.phase === "failed" && (
            <Text size="sm" c="dimmed" mt={4}>
              Findings from earlier scans are still in{" "}
              <TextLink href={`/p/${project.id}/memory`}>Memory</TextLink>.
              {canManage && (
                <>
                  {" "}
                  Check the repository and its token in{" "}
                  <TextLink href={`/p/${project.id}/settings`}>Project settings</TextLink>.
                </>
              )}
            </Text>
          )}
        </div>
      </Group>
      {onRescan && (
        <Button variant={scan.phase === "failed" ? "filled" : "default"} onClick={onRescan}>
          {scan.phase === "failed" ? "Try again" : "Scan again"}
        </Button>
      )}
    </Group>
  );
}

/** The outcome and statistics of a finished scan. */
export function FinishedScan({
  scan,
  onRescan,
  showPhases,
}: {
  scan: Scan;
  onRescan?: () => void;
  showPhases: boolean;
}) {
  const isWhole = scan.phase === "complete" && !scan.error;
  return (
    <section className={parts.card} aria-labelledby="ended" data-ended={scan.phase}>
      <Head scan={scan} onRescan={onRescan} />
      {(showPhases || scan.phase !== "complete") && <PhaseSteps scan={scan} />}
      <Stats
        stats={[
          ["Files analyzed", scan.filesProcessed, isWhole ? undefined : scan.filesTotal],
          ["Chunks", scan.chunksProcessed, isWhole ? undefined : scan.chunksTotal],
          ["Findings", scan.findingsCount],
          ["Duration", formatDuration(durationSeconds(scan))],
          ["Finished", <RelativeTime key="at" at={scan.completedAt ?? scan.startedAt} />],
        ]}
      />
    </section>
  );
}
