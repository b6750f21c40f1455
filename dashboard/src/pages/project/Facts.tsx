import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Section } from "~/pages/account/Section";
import { Copy } from "~/parts/Copy";
import { Loaded } from "~/parts/Page";
import { useProject } from "~/shell/project";
import { useDetail } from "./changing";
import { wordsOf } from "./Learning";
import { VISIBILITY } from "./NewProject";
import { RepositoryLink } from "./Repository";
import classes from "./project.module.css";

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The settings for those who only look at them. */
export function Facts() {
  const project = useProject();
  const detail = useDetail();
  const { name, about } = VISIBILITY[project.visibility];
  return (
    <Section title="General" about="The project's admins and the owner and admins of the team change these.">
      <Loaded of={detail}>
        {(known) => (
          <dl className={classes.facts}>
            <Fact name="Description">{project.description || <Text c="dimmed">None.</Text>}</Fact>
            <Fact name="Who sees it">
              {name}. {about}
            </Fact>
            <Fact name="Approved by itself">{wordsOf(Math.round(known.autoApproveThreshold * 100))}</Fact>
            <Fact name="Model">{project.aiTier ?? "That of the plan."}</Fact>
            <Fact name="Repository">
              {project.repoUrl ? <RepositoryLink url={project.repoUrl} /> : <Text c="dimmed">None.</Text>}
            </Fact>
            <Fact name="Deep enrichment">{project.deepEnrichEnabled ? "On." : "Off."}</Fact>
            <Fact name="Project id">
              <span className={classes.secret}>{project.id}</span>{" "}
              <Copy text={project.id} label="Copy the project id" />
            </Fact>
          </dl>
        )}
      </Loaded>
    </Section>
  );
}
