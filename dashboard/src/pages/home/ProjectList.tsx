import { Button, Group, Select, Text, TextInput, Title, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconSearch } from "@tabler/icons-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import { Kbd, useShortcuts } from "~/parts/shortcuts";
import { pluralize, formatNumber } from "~/parts/format";
import { filterProjects, SORT_ORDERS, type SortOrder, type ProjectOverview } from "./overview";
import classes from "./home.module.css";
import { ProjectCard } from "./ProjectCard";

/** More projects than this get a filter and a sort order. */
const FILTER_ABOVE = 6;
const PAGE_SIZE = 48;

function Cards({
  projects,
  writable,
  label,
}: {
  projects: ProjectOverview[];
  writable: ProjectOverview[];
  label: string;
}) {
  const [limit, setLimit] = useState(PAGE_SIZE);
  const writableIds = useMemo(() => new Set(writable.map((project) => project.id)), [writable]);
  return (
    <>
      <ul className={`${classes.bare} ${classes.cards}`} aria-label={label}>
        {projects.slice(0, limit).map((project) => (
          <ProjectCard key={project.id} project={project} canWrite={writableIds.has(project.id)} />
        ))}
      </ul>
      {projects.length > limit && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setLimit(limit + PAGE_SIZE)}>
            Show {formatNumber(Math.min(PAGE_SIZE, projects.length - limit))} more
          </Button>
        </Group>
      )}
    </>
  );
}

function Archived({ projects }: { projects: ProjectOverview[] }) {
  const [open, setOpen] = useState(false);
  if (projects.length === 0) return null;
  return (
    <section className={classes.section} aria-label="Archived projects">
      <UnstyledButton className={classes.toggle} aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
        {pluralize(projects.length, "archived project")}
      </UnstyledButton>
      {open && <Cards projects={projects} writable={[]} label="Archived projects" />}
    </section>
  );
}

export function ProjectList({
  projects,
  writable,
}: {
  projects: ProjectOverview[];
  writable: ProjectOverview[];
}) {
  const [typed, setTyped] = useState("");
  const [order, setOrder] = useState<SortOrder>("active");
  const filter = useDeferredValue(typed);
  const filterInput = useRef<HTMLInputElement>(null);
  const filterable = projects.length > FILTER_ABOVE;
  useShortcuts({ "/": () => filterInput.current?.focus() }, filterable);
  const matching = useMemo(() => filterProjects(projects, filter, order), [projects, filter, order]);
  const active = matching.filter((project) => project.status === "active");
  return (
    <>
      <section aria-labelledby="projects" className={classes.section}>
        <Group justify="space-between" mb="sm" gap="sm">
          <Title order={2} id="projects">
            Projects
          </Title>
          {filterable && (
            <Group gap="xs" className={classes.filters}>
              <TextInput
                ref={filterInput}
                aria-label="Filter projects"
                placeholder="Filter projects"
                leftSection={<IconSearch size={16} />}
                rightSection={<Kbd>/</Kbd>}
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
                className={classes.projectFilter}
              />
              <Select
                aria-label="Sort by"
                data={Object.entries(SORT_ORDERS).map(([value, { name }]) => ({ value, label: name }))}
                value={order}
                onChange={(value) => setOrder((value ?? "active") as SortOrder)}
                allowDeselect={false}
                w="10rem"
              />
            </Group>
          )}
        </Group>
        {active.length > 0 ? (
          <Cards projects={active} writable={writable} label="Projects" />
        ) : (
          <Text c="dimmed" role="status">
            {filter ? "No projects match this filter." : "All projects are archived."}
          </Text>
        )}
      </section>
      <Archived projects={matching.filter((project) => project.status === "archived")} />
    </>
  );
}
