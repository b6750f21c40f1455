import { Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { Link } from "wouter";
import { formatNumber } from "~/parts/format";
import { ATTENTION_KINDS, projectPath, type AttentionKind, type ProjectOverview } from "./overview";
import classes from "./home.module.css";

const MAX_PROJECTS = 3;

function AttentionCard({ kind, projects }: { kind: AttentionKind; projects: ProjectOverview[] }) {
  const affected = projects
    .filter((project) => kind.count(project) > 0)
    .toSorted((a, b) => kind.count(b) - kind.count(a));
  const total = affected.reduce((sum, project) => sum + kind.count(project), 0);
  if (total === 0) return null;
  return (
    <div className={classes.attentionCard} data-kind={kind.name}>
      <Title order={3} className={classes.attentionTitle}>
        <span className={classes.attentionCount}>{formatNumber(total)}</span>{" "}
        {total === 1 ? kind.one : kind.many}
      </Title>
      <ul className={classes.bare}>
        {affected.slice(0, MAX_PROJECTS).map((project) => (
          <li key={project.id}>
            <Link href={projectPath(project, kind.page)} className={classes.attentionLink}>
              <span className={classes.truncate}>{project.name}</span>
              <span>{formatNumber(kind.count(project))}</span>
            </Link>
          </li>
        ))}
      </ul>
      {affected.length > MAX_PROJECTS && (
        <Text size="xs" c="dimmed">
          and {formatNumber(affected.length - MAX_PROJECTS)} more below
        </Text>
      )}
    </div>
  );
}

/** Open review work across the projects the user can write to. */
export function NeedsAttention({ projects }: { projects: ProjectOverview[] }) {
  const open = ATTENTION_KINDS.filter((kind) => projects.some((project) => kind.count(project) > 0));
  return (
    <section aria-labelledby="needs-attention">
      <Title order={2} id="needs-attention" mb="sm">
        Needs attention
      </Title>
      {open.length === 0 ? (
        <div className={classes.allClear}>
          <IconCircleCheck size={22} aria-hidden />
          <Text>
            You're all caught up. Drafts, conflicts, stale memories and failed sessions appear here.
          </Text>
        </div>
      ) : (
        <div className={classes.attentionCards}>
          {open.map((kind) => (
            <AttentionCard key={kind.name} kind={kind} projects={projects} />
          ))}
        </div>
      )}
    </section>
  );
}
