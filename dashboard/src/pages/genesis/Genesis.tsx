import { Stack, Text, Title } from "@mantine/core";
import { IconTelescope } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useGet } from "~/api/hooks";
import { Empty, Loaded, Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { useMayWrite, useProject } from "~/shell/project";
import { Ended } from "./Ended";
import { NoRepository } from "./NoRepository";
import { isOver, type Scan } from "./phases";
import { Results } from "./Results";
import { Running } from "./Running";
import { AS_USUAL, StartDialog, StartForm, type Wanted } from "./Start";

interface FirstProps {
  wanted: Wanted;
  setWanted: (wanted: Wanted) => void;
}

function First({ wanted, setWanted }: FirstProps) {
  const project = useProject();
  const mayWrite = useMayWrite();
  if (!mayWrite)
    return (
      <Empty icon={<IconTelescope size={40} />} title="The codebase has not been read yet">
        Here one would see what it is made of and what a newcomer should know.{" "}
        {project.status === "archived"
          ? "The project is archived: nothing is read for it any more."
          : "Whoever may write in this project can start the scan."}
      </Empty>
    );
  return (
    <section className={parts.card} aria-labelledby="first">
      <Title order={2} size="h4" id="first">
        Read {project.name} for the first time
      </Title>
      <Text size="sm" c="dimmed" mb="md" style={{ overflowWrap: "anywhere" }}>
        {project.repoUrl} is read as a whole. You get findings by layer, the tech stack and a picture of the
        imports; what matters becomes memory for your agents.
      </Text>
      <StartForm wanted={wanted} setWanted={setWanted} again={false} />
    </section>
  );
}

function Newest({ scan, again }: { scan: Scan; again?: () => void }) {
  const mayWrite = useMayWrite();
  const project = useProject();
  const mayCancel = mayWrite || (project.status === "archived" && project.rights !== "read");
  // Whoever has seen it run sees it arrive as well; later the eight ticks would say nothing.
  const [watched, setWatched] = useState("");
  useEffect(() => {
    if (!isOver(scan)) setWatched(scan.id);
  }, [scan]);
  const showsResults = scan.findingsCount > 0 || scan.phase === "complete";
  return (
    <>
      {isOver(scan) ? (
        <Ended scan={scan} again={again} watched={watched === scan.id} />
      ) : (
        <Running scan={scan} mayCancel={mayCancel} />
      )}
      {showsResults && <Results scan={scan} />}
    </>
  );
}

export default function Genesis() {
  const project = useProject();
  const mayWrite = useMayWrite();
  const status = useGet("/api/v2/scans", { query: { projectId: project.id } });
  const [wanted, setWanted] = useState<Wanted>(AS_USUAL);
  const [asking, setAsking] = useState(false);
  const again = mayWrite && project.repoUrl ? () => setAsking(true) : undefined;
  return (
    <Page title="Genesis" about="Reads the whole codebase, and says what a newcomer should know of it.">
      <Loaded of={status}>
        {({ scan }) => (
          <Stack gap="lg">
            {!project.repoUrl && (!scan || isOver(scan)) && <NoRepository />}
            {project.repoUrl && !scan && <First wanted={wanted} setWanted={setWanted} />}
            {scan && <Newest scan={scan} again={again} />}
            <StartDialog
              opened={asking}
              close={() => setAsking(false)}
              wanted={wanted}
              setWanted={setWanted}
              again={Boolean(scan)}
            />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
