import { Button, Group, Select, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconSearch } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { Key, useKeys } from "~/parts/keys";
import { amount, count } from "~/parts/Time";
import { find, ORDERS, type Order, type Seen } from "./health";
import classes from "./home.module.css";
import { ProjectCard } from "./ProjectCard";

/** Fewer than these are seen at a glance. */
const MANY = 6;
const AT_ONCE = 48;

function Cards({ projects, judged, label }: { projects: Seen[]; judged: Seen[]; label: string }) {
  const [shown, setShown] = useState(AT_ONCE);
  const mine = useMemo(() => new Set(judged.map((one) => one.id)), [judged]);
  return (
    <>
      <ul className={`${classes.bare} ${classes.cards}`} aria-label={label}>
        {projects.slice(0, shown).map((project) => (
          <ProjectCard key={project.id} project={project} mayWrite={mine.has(project.id)} />
        ))}
      </ul>
      {projects.length > shown && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setShown(shown + AT_ONCE)}>
            Show {count(Math.min(AT_ONCE, projects.length - shown))} more of {count(projects.length)}
          </Button>
        </Group>
      )}
    </>
  );
}

function Archived({ projects }: { projects: Seen[] }) {
  const [open, setOpen] = useState(false);
  if (projects.length === 0) return null;
  return (
    <section className={classes.section} aria-label="Archived projects">
      <UnstyledButton className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        {amount(projects.length, "archived project")}
      </UnstyledButton>
      {open && <Cards projects={projects} judged={[]} label="Archived projects" />}
    </section>
  );
}

export function Projects({ projects, judged }: { projects: Seen[]; judged: Seen[] }) {
  const [typed, setTyped] = useState("");
  const [order, setOrder] = useState<Order>("active");
  const asked = useDeferredValue(typed);
  const field = useRef<HTMLInputElement>(null);
  const many = projects.length > MANY;
  useKeys({ "/": () => field.current?.focus() }, many);
  const found = useMemo(() => find(projects, asked, order), [projects, asked, order]);
  const active = found.filter((project) => project.status === "active");
  return (
    <>
      <section aria-labelledby="projects" className={classes.section}>
        <Group justify="space-between" mb="sm" gap="sm">
          <Title order={2} id="projects">
            Projects
          </Title>
          {many && (
            <Group gap="xs" className={classes.filters}>
              <TextInput
                ref={field}
                aria-label="Find a project"
                placeholder="Find a project"
                leftSection={<IconSearch size={16} />}
                rightSection={<Key>/</Key>}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                className={classes.findProject}
              />
              <Select
                aria-label="Order"
                data={Object.entries(ORDERS).map(([value, { name }]) => ({ value, label: name }))}
                value={order}
                onChange={(chosen) => setOrder((chosen ?? "active") as Order)}
                allowDeselect={false}
                w="10rem"
              />
            </Group>
          )}
        </Group>
        {active.length > 0 ? (
          <Cards projects={active} judged={judged} label="Projects" />
        ) : (
          <Text c="dimmed" role="status">
            {asked ? "No project of that name." : "All projects are archived."}
          </Text>
        )}
      </section>
      <Archived projects={found.filter((project) => project.status === "archived")} />
    </>
  );
}
