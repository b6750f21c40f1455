import { Stack, Text, Title } from "@mantine/core";
import { IconTelescope } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { useCanWrite, useProject } from "~/shell/project";
import { FinishedScan } from "./FinishedScan";
import { NoRepository } from "./NoRepository";
import { isFinished, type Scan } from "./phases";
import { Results } from "./Results";
import { RunningScan } from "./RunningScan";
import { DEFAULT_OPTIONS, ScanDialog, ScanForm, type ScanOptions } from "./StartScan";

interface FirstScanProps {
  options: ScanOptions;
  setOptions: (options: ScanOptions) => void;
}

function FirstScan({ options, setOptions }: FirstScanProps) {
  const project = useProject();
  const canWrite = useCanWrite();
  if (!canWrite)
    return (
      <EmptyState icon={<IconTelescope size={40} />} title="No scan yet">
        Genesis scans the codebase and lists what a newcomer should know about it.{" "}
        {project.status === "archived"
          ? "This project is archived, so it can't be scanned."
          : "Ask someone with write access to start a scan."}
      </EmptyState>
    );
  return (
    <section className={parts.card} aria-labelledby="first">
      <Title order={2} size="h4" id="first">
        Scan {project.name}
      </Title>
      <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: "anywhere" }}>
        Genesis reads {project.repoUrl} and shows findings by area, the tech stack and an import graph.
        Findings are also added to Memory and Map for review.
      </Text>
      <ScanForm options={options} setOptions={setOptions} hasPreviousScan={false} />
    </section>
  );
}

function LatestScan({ scan, onRescan }: { scan: Scan; onRescan?: () => void }) {
  const canWrite = useCanWrite();
  const project = useProject();
  const canCancel = canWrite || (project.status === "archived" && project.accessLevel !== "read");
  // Keep the phases on screen for a scan that finished while the page was open.
  const [watchedScanId, setWatchedScanId] = useState("");
  useEffect(() => {
    if (!isFinished(scan)) setWatchedScanId(scan.id);
  }, [scan]);
  const showsResults = scan.findingsCount > 0 || scan.phase === "complete";
  return (
    <>
      {isFinished(scan) ? (
        <FinishedScan scan={scan} onRescan={onRescan} showPhases={watchedScanId === scan.id} />
      ) : (
        <RunningScan scan={scan} canCancel={canCancel} />
      )}
      {showsResults && <Results scan={scan} />}
    </>
  );
}

export default function Genesis() {
  const project = useProject();
  const canWrite = useCanWrite();
  const status = useGet("/api/v2/scans", { query: { projectId: project.id } });
  const [options, setOptions] = useState<ScanOptions>(DEFAULT_OPTIONS);
  const [dialogOpen, setDialogOpen] = useState(false);
  const onRescan = canWrite && project.repoUrl ? () => setDialogOpen(true) : undefined;
  return (
    <Page title="Genesis" about="Scan the codebase and see what a newcomer should know about it.">
      <Loaded query={status}>
        {({ scan }) => (
          <Stack gap="lg">
            {!project.repoUrl && (!scan || isFinished(scan)) && <NoRepository />}
            {project.repoUrl && !scan && <FirstScan options={options} setOptions={setOptions} />}
            {scan && <LatestScan scan={scan} onRescan={onRescan} />}
            <ScanDialog
              opened={dialogOpen}
              close={() => setDialogOpen(false)}
              options={options}
              setOptions={setOptions}
              hasPreviousScan={Boolean(scan)}
            />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
