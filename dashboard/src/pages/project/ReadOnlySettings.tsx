import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { SettingsSection } from "~/parts/SettingsSection";
import { CopyIconButton } from "~/parts/Copy";
import { Loaded } from "~/parts/Page";
import { useProject } from "~/shell/project";
import { useProjectDetail } from "./useUpdateProject";
import { describeThreshold, TIERS } from "./Enrichment";
import { VISIBILITY } from "./NewProject";
import { describeRetention } from "./Retention";
import { RepositoryLink } from "./Repository";
import classes from "./project.module.css";

function Setting({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The settings as text, for users who can't change them. */
export function ReadOnlySettings() {
  const project = useProject();
  const detail = useProjectDetail();
  const { name, about } = VISIBILITY[project.visibility];
  return (
    <SettingsSection title="General" about="Only project admins and team admins can change these settings.">
      <Loaded query={detail}>
        {(found) => (
          <dl className={classes.settings}>
            <Setting name="Description">{project.description || <Text c="dimmed">None</Text>}</Setting>
            <Setting name="Visibility">
              {name}. {about}
            </Setting>
            <Setting name="Auto-approval">
              {describeThreshold(Math.round(found.autoApproveThreshold * 100))}
            </Setting>
            <Setting name="Model">
              {TIERS.find(({ value }) => value === (project.aiTier ?? ""))?.label}
            </Setting>
            <Setting name="Repository">
              {project.repoUrl ? <RepositoryLink url={project.repoUrl} /> : <Text c="dimmed">None</Text>}
            </Setting>
            <Setting name="Deep enrichment">{project.deepEnrichEnabled ? "On" : "Off"}</Setting>
            <Setting name="Brief agents">{found.briefingsEnabled ? "On" : "Off"}</Setting>
            <Setting name="Show unreviewed memory">{found.showUnreviewed ? "On" : "Off"}</Setting>
            <Setting name="Retention">{describeRetention(found)}</Setting>
            <Setting name="Project ID">
              <span className={classes.secret}>{project.id}</span>{" "}
              <CopyIconButton text={project.id} label="Copy project ID" />
            </Setting>
          </dl>
        )}
      </Loaded>
    </SettingsSection>
  );
}
