import { Alert } from "@mantine/core";
import { IconArchive } from "@tabler/icons-react";
import { Page } from "~/parts/Page";
import { useMayManage, useProject } from "~/shell/project";
import { Ending } from "./Ending";
import { Facts } from "./Facts";
import { General } from "./General";
import { Learning } from "./Learning";
import { Members } from "./Members";
import { Repository } from "./Repository";
import { SigningSecret } from "./SigningSecret";
import { Transfer } from "./Transfer";

/** Why nothing can be changed here, where that is so. */
function Archived() {
  const manages = useMayManage();
  return (
    <Alert mb="md" variant="default" icon={<IconArchive />} title="This project is archived">
      It can be read and exported.{" "}
      {manages ? "Unarchive it below to change anything." : "Nothing can be changed."}
    </Alert>
  );
}

export default function ProjectSettings() {
  const project = useProject();
  const manages = useMayManage();
  const archived = project.status === "archived";
  return (
    <Page title="Project settings" about={project.name}>
      {archived && <Archived />}
      <div key={project.id}>
        {manages ? <General disabled={archived} /> : <Facts />}
        <Members disabled={archived || !manages} />
        {manages && <Learning disabled={archived} />}
        {manages && <Repository disabled={archived} />}
        {manages && <SigningSecret disabled={archived} />}
        <Transfer mayImport={manages && !archived} />
        {manages && <Ending />}
      </div>
    </Page>
  );
}
