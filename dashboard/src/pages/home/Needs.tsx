import { Text, Title } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { Link } from "wouter";
import { count } from "~/parts/Time";
import { KINDS, to, type Kind, type Seen } from "./health";
import classes from "./home.module.css";

const SHOWN = 3;

function Need({ kind, projects }: { kind: Kind; projects: Seen[] }) {
  const meant = projects.filter((one) => kind.of(one) > 0).toSorted((a, b) => kind.of(b) - kind.of(a));
  const whole = meant.reduce((sum, one) => sum + kind.of(one), 0);
  if (whole === 0) return null;
  return (
    <div className={classes.need} data-kind={kind.name}>
      <Title order={3} className={classes.needTitle}>
        <span className={classes.big}>{count(whole)}</span> {whole === 1 ? kind.one : kind.many}
      </Title>
      <ul className={classes.bare}>
        {meant.slice(0, SHOWN).map((one) => (
          <li key={one.id}>
            <Link href={to(one, kind.page)} className={classes.needWay}>
              <span className={classes.cut}>{one.name}</span>
              <span>{count(kind.of(one))}</span>
            </Link>
          </li>
        ))}
      </ul>
      {meant.length > SHOWN && (
        <Text size="xs" c="dimmed">
          and in {count(meant.length - SHOWN)} more below
        </Text>
      )}
    </div>
  );
}

/** What waits for a person, over all projects in which they may judge. */
export function Needs({ projects }: { projects: Seen[] }) {
  const open = KINDS.filter((kind) => projects.some((one) => kind.of(one) > 0));
  return (
    <section aria-labelledby="needs">
      <Title order={2} id="needs" mb="sm">
        What needs you
      </Title>
      {open.length === 0 ? (
        <div className={classes.calm}>
          <IconCircleCheck size={22} aria-hidden />
          <Text>Nothing waits for you. New drafts, conflicts and failed sessions will stand here.</Text>
        </div>
      ) : (
        <div className={classes.needs}>
          {open.map((kind) => (
            <Need key={kind.name} kind={kind} projects={projects} />
          ))}
        </div>
      )}
    </section>
  );
}
