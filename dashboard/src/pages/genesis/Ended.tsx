import { Anchor as AnchorLook, Button, Group, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconPlayerStop } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import parts from "~/parts/parts.module.css";
import { Time } from "~/parts/Time";
import { useMayManage, useProject } from "~/shell/project";
import { Figures } from "./Figures";
import classes from "./genesis.module.css";
import { lasted, type Scan } from "./phases";
import { Steps } from "./Steps";

const seconds = (scan: Scan) =>
  scan.completedAt ? (Date.parse(scan.completedAt) - Date.parse(scan.startedAt)) / 1000 : 0;

function Anchor({ href, children }: { href: string; children: ReactNode }) {
  return (
    <AnchorLook component={Link} href={href} inherit underline="always">
      {children}
    </AnchorLook>
  );
}

function Head({ scan, again }: { scan: Scan; again?: () => void }) {
  const project = useProject();
  const mayManage = useMayManage();
  let icon: ReactNode = <IconCircleCheck size={22} className={classes.good} />;
  let title = "The codebase was read";
  let told: ReactNode = "What was found is below, and on its way into memory and map.";
  if (scan.phase === "failed") {
    icon = <IconAlertTriangle size={22} className={classes.bad} />;
    title = "The scan has failed";
    told = scan.error ?? "The server did not say why.";
  } else if (scan.phase === "cancelled") {
    icon = <IconPlayerStop size={22} />;
    title = "The scan was cancelled";
    told = "What it had found by then is kept below. None of it became memory.";
  }
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mb="md">
      <Group gap="sm" align="flex-start" wrap="nowrap" flex="1 1 16rem" miw={0}>
        <span className={classes.headIcon} aria-hidden>
          {icon}
        </span>
        <div className={classes.told}>
          <Title order={2} size="h4" id="ended">
            {title}
          </Title>
          <Text size="sm" c={scan.phase === "failed" ? undefined : "dimmed"} role="status">
            {told}
          </Text>
          {scan.phase === "failed" && (
            <Text size="sm" c="dimmed" mt={4}>
              What earlier scans have found stays in <Anchor href={`/p/${project.id}/memory`}>memory</Anchor>.
              {mayManage && (
                <>
                  {" "}
                  The repository and its token stand in the{" "}
                  <Anchor href={`/p/${project.id}/settings`}>project settings</Anchor>.
                </>
              )}
            </Text>
          )}
        </div>
      </Group>
      {again && (
        <Button variant={scan.phase === "failed" ? "filled" : "default"} onClick={again}>
          {scan.phase === "failed" ? "Try again" : "Scan again"}
        </Button>
      )}
    </Group>
  );
}

/** How the newest scan has ended, with what it looked at. */
export function Ended({ scan, again, watched }: { scan: Scan; again?: () => void; watched: boolean }) {
  return (
    <section className={parts.card} aria-labelledby="ended" data-ended={scan.phase}>
      <Head scan={scan} again={again} />
      {(watched || scan.phase !== "complete") && <Steps scan={scan} />}
      <Figures
        figures={[
          ["Files analysed", scan.filesProcessed, scan.phase === "complete" ? undefined : scan.filesTotal],
          ["Chunks", scan.chunksProcessed, scan.phase === "complete" ? undefined : scan.chunksTotal],
          ["Findings", scan.findingsCount],
          ["Took", lasted(seconds(scan))],
          ["Ended", <Time key="at" at={scan.completedAt ?? scan.startedAt} />],
        ]}
      />
    </section>
  );
}
