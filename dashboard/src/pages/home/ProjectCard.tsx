import { Group, Text, Title } from "@mantine/core";
import { memo } from "react";
import { Link } from "wouter";
import { Sparkline } from "~/parts/Meter";
import { Tag } from "~/parts/Tag";
import { pluralize, formatCompact, formatNumber, RelativeTime } from "~/parts/format";
import {
  describeGrowth,
  describeHealth,
  ATTENTION_KINDS,
  projectPath,
  type ProjectOverview,
} from "./overview";
import classes from "./home.module.css";

function Stat({ value, name }: { value: string; name: string }) {
  return (
    <div className={classes.stat}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** Links to the project's open review work, or to the setup guide before its first event. */
function OpenWork({ project, canWrite }: { project: ProjectOverview; canWrite: boolean }) {
  if (project.lastEventAt === null && canWrite)
    return (
      <div>
        <Link href={`/welcome?project=${project.id}`} className={classes.chip}>
          Connect an agent
        </Link>
      </div>
    );
  const open = ATTENTION_KINDS.filter((kind) => kind.count(project) > 0);
  if (open.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing to review
      </Text>
    );
  return (
    <Group gap={6} component="ul" className={classes.bare}>
      {open.map((kind) => {
        const value = kind.count(project);
        return (
          <li key={kind.name}>
            <Link href={projectPath(project, kind.page)} className={classes.chip} data-kind={kind.name}>
              <b>{formatNumber(value)}</b> {value === 1 ? kind.one : kind.many}
            </Link>
          </li>
        );
      })}
    </Group>
  );
}

function Activity({ project }: { project: ProjectOverview }) {
  const { active, enriching } = project.sessions;
  const parts = [active > 0 && `${active} active`, enriching > 0 && `${enriching} enriching`].filter(Boolean);
  return (
    <Text size="xs" c="dimmed" component="div" className={classes.foot}>
      <span>
        {project.lastEventAt ? (
          <>
            Last event <RelativeTime at={project.lastEventAt} />
          </>
        ) : (
          "No events yet"
        )}
      </span>
      <Link href={projectPath(project, "sessions")} className={classes.sessionsLink}>
        {parts.length > 0 ? `Sessions: ${parts.join(", ")}` : pluralize(project.sessions.total, "session")}
      </Link>
    </Text>
  );
}

export const ProjectCard = memo(function ProjectCard({
  project,
  canWrite,
}: {
  project: ProjectOverview;
  canWrite: boolean;
}) {
  const [label, tone] = describeHealth(project);
  const growth = describeGrowth(project);
  return (
    <li className={classes.card}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Title order={3} className={classes.name}>
          <Link href={projectPath(project, "memory")}>{project.name}</Link>
        </Title>
        <Tag tone={tone}>{label}</Tag>
      </Group>
      <div>
        <Sparkline values={project.growth.map((week) => week.added)} label={growth} />
        <Text size="xs" c="dimmed" mt={4} aria-hidden>
          {growth}
        </Text>
      </div>
      <dl className={classes.stats}>
        <Stat name="Approved" value={formatNumber(project.items.approved)} />
        <Stat name="Drafts" value={formatNumber(project.items.draft)} />
        <Stat name="Contexts" value={formatNumber(project.contexts)} />
        <Stat name="Memory size" value={`${formatCompact(project.tokens)} tokens`} />
      </dl>
      {project.status === "active" && <OpenWork project={project} canWrite={canWrite} />}
      <Activity project={project} />
    </li>
  );
});
