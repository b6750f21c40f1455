import { Alert } from "@mantine/core";
import { IconArchive } from "@tabler/icons-react";
import { Page } from "~/parts/Page";
import { useCanManage, useProject } from "~/shell/project";
import { DangerZone } from "./DangerZone";
import { ReadOnlySettings } from "./ReadOnlySettings";
import { General } from "./General";
import { Enrichment } from "./Enrichment";
import { Briefings } from "./Briefings";
import { Members } from "./Members";
import { Repository } from "./Repository";
import { Retention } from "./Retention";
import { SigningSecret } from "./SigningSecret";
import { ExportImport } from "./ExportImport";

function ArchivedNotice() {
  const canManage = useCanManage();
  return (
    <Alert mb="md" variant="default" icon={<IconArchive />} title="This project is archived">
      It is read-only and can still be exported.{" "}
      {canManage ? "Unarchive it below to make changes." : "Ask a project admin to unarchive it."}
    </Alert>
  );
}

export default function ProjectSettings() {
  const project = useProject();
  const canManage = useCanManage();
  const archived = project.status === "archived";
  return (
    <Page title="Project settings" about={project.name}>
      {archived && <ArchivedNotice />}
      <div key={project.id}>
        {canManage ? <General disabled={archived} /> : <ReadOnlySettings />}
        <Members disabled={archived || !canManage} />
        {canManage && <Enrichment disabled={archived} />}
        {canManage && <Briefings disabled={archived} />}
        {canManage && <Repository disabled={archived} />}
        {canManage && <SigningSecret disabled={archived} />}
        {canManage && <Retention disabled={archived} />}
        <ExportImport canImport={canManage && !archived} />
        {canManage && <DangerZone />}
      </div>
    </Page>
  );
}
