import { Group, Text, Title } from "@mantine/core";
import { memo } from "react";
import { Link } from "wouter";
import { Spark } from "~/parts/Meter";
import { Tag } from "~/parts/Tag";
import { amount, compact, count, Time } from "~/parts/Time";
import { growth, health, KINDS, to, type Seen } from "./health";
import classes from "./home.module.css";

function Figure({ value, name }: { value: string; name: string }) {
  return (
    <div className={classes.figure}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

/** What waits, as ways straight to where it is judged; nothing, if nothing does. */
function Waiting({ project, mayWrite }: { project: Seen; mayWrite: boolean }) {
  if (project.lastEventAt === null && mayWrite)
    return (
      <div>
        <Link href={`/welcome?project=${project.id}`} className={classes.chip}>
          Connect an agent
        </Link>
      </div>
    );
  const open = KINDS.filter((kind) => kind.of(project) > 0);
  if (open.length === 0)
    return (
      <Text size="sm" c="dimmed">
        Nothing waits for a judgement.
      </Text>
    );
  return (
    <Group gap={6} component="ul" className={classes.bare}>
      {open.map((kind) => {
        const value = kind.of(project);
        return (
          <li key={kind.name}>
            <Link href={to(project, kind.page)} className={classes.chip} data-kind={kind.name}>
              <b>{count(value)}</b> {value === 1 ? kind.one : kind.many}
            </Link>
          </li>
        );
      })}
    </Group>
  );
}

function Living({ project }: { project: Seen }) {
  const { active, enriching } = project.sessions;
  const busy = [active > 0 && `${active} active`, enriching > 0 && `${enriching} being enriched`].filter(
    Boolean,
  );
  return (
    <Text size="xs" c="dimmed" component="div" className={classes.foot}>
      <span>
        {project.lastEventAt ? (
          <>
            Last event <Time at={project.lastEventAt} />
          </>
        ) : (
          "No event yet"
        )}
      </span>
      <Link href={to(project, "sessions")} className={classes.quiet}>
        {busy.length > 0 ? `Sessions: ${busy.join(", ")}` : amount(project.sessions.total, "session")}
      </Link>
    </Text>
  );
}

export const ProjectCard = memo(function ProjectCard({
  project,
  mayWrite,
}: {
  project: Seen;
  mayWrite: boolean;
}) {
  const [word, tone] = health(project);
  const grown = growth(project);
  return (
    <li className={classes.card}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Title order={3} className={classes.name}>
          <Link href={to(project, "memory")}>{project.name}</Link>
        </Title>
        <Tag tone={tone}>{word}</Tag>
      </Group>
      <div>
        <Spark values={project.growth.map((week) => week.added)} label={grown} />
        <Text size="xs" c="dimmed" mt={4} aria-hidden>
          {grown}
        </Text>
      </div>
      <dl className={classes.figures}>
        <Figure name="Approved" value={count(project.items.approved)} />
        <Figure name="Drafts" value={count(project.items.draft)} />
        <Figure name="Contexts" value={count(project.contexts)} />
        <Figure name="Tokens" value={compact(project.tokens)} />
      </dl>
      {project.status === "active" && <Waiting project={project} mayWrite={mayWrite} />}
      <Living project={project} />
    </li>
  );
});
