import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlugConnected, IconPlus, IconStack2 } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { pluralize } from "~/parts/format";
import { NewProject } from "~/pages/project/NewProject";
import { canManageTeam, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import type { Overview, ProjectOverview } from "./overview";
import classes from "./home.module.css";
import { NeedsAttention } from "./NeedsAttention";
import { ProjectList } from "./ProjectList";
import { SpendCard } from "./SpendCard";

/** The overview endpoint returns at most this many projects. */
const MAX_PROJECTS = 200;

/** Shown before the team has a project. */
function NoProjects() {
  const canCreate = canManageTeam(useMe());
  return (
    <EmptyState
      icon={<IconStack2 size={40} />}
      title={canCreate ? "Create your first project" : "No projects yet"}
      action={
        canCreate && (
          <Button component={Link} href="/welcome" mt="xs">
            Create project
          </Button>
        )
      }
    >
      {canCreate
        ? "A project holds the memory of one codebase. The setup guide creates one and connects your first agent in about two minutes."
        : "A project holds the memory of one codebase. Ask a team admin to create one or to add you to one."}
    </EmptyState>
  );
}

/** Shown while no project has received an event. */
function ConnectBanner() {
  return (
    <section className={classes.banner} aria-label="Connect an agent">
      <Group wrap="nowrap" gap="sm" align="flex-start">
        <IconPlugConnected size={24} aria-hidden className={classes.bannerIcon} />
        <div>
          <Text fw={600}>Connect your first agent</Text>
          <Text size="sm" c="dimmed">
            No events received yet. The setup guide connects your agent in about two minutes; its sessions and
            memories then appear here.
          </Text>
        </div>
      </Group>
      <Button component={Link} href="/welcome">
        Connect an agent
      </Button>
    </section>
  );
}

/** Active projects the user can write to, and so review. */
function useWritable(projects: ProjectOverview[]): ProjectOverview[] {
  const entries = useProjects().data;
  return useMemo(() => {
    const accessLevels = new Map((entries ?? []).map((entry) => [entry.id, entry.accessLevel]));
    return projects.filter(
      (project) => project.status === "active" && (accessLevels.get(project.id) ?? "read") !== "read",
    );
  }, [entries, projects]);
}

function TeamOverview({ overview }: { overview: Overview }) {
  const { projects, spend } = overview;
  const writable = useWritable(projects);
  const noEvents = projects.every((project) => project.lastEventAt === null);
  return (
    <>
      <div className={spend ? classes.top : undefined}>
        {noEvents && writable.length > 0 ? <ConnectBanner /> : <NeedsAttention projects={writable} />}
        {spend && <SpendCard spend={spend} />}
      </div>
      <ProjectList projects={projects} writable={writable} />
      {projects.length >= MAX_PROJECTS && (
        <Text size="sm" c="dimmed">
          Showing the newest {MAX_PROJECTS} projects. Press Ctrl K to find older ones.
        </Text>
      )}
    </>
  );
}

function summarize(all: ProjectOverview[]): string {
  const projects = all.filter((project) => project.status === "active");
  const items = projects.reduce((sum, project) => sum + project.items.approved, 0);
  return `${pluralize(projects.length, "project")}, ${pluralize(items, "approved memory", "approved memories")}`;
}

export default function Home() {
  const me = useMe();
  const [, go] = useLocation();
  const [creating, createDialog] = useDisclosure(false);
  const overview = useGet("/api/v2/overview");
  const projects = overview.data?.projects ?? [];
  return (
    <Page
      title={me.teamName}
      about={projects.length > 0 ? summarize(projects) : "Your team's projects at a glance."}
      actions={
        canManageTeam(me) &&
        projects.length > 0 && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={createDialog.open}>
            New project
          </Button>
        )
      }
    >
      <Loaded query={overview}>
        {(data) => (data.projects.length === 0 ? <NoProjects /> : <TeamOverview overview={data} />)}
      </Loaded>
      {canManageTeam(me) && (
        <NewProject
          opened={creating}
          onClose={createDialog.close}
          onCreated={(project) => {
            createDialog.close();
            go(`/welcome?project=${project.id}`);
          }}
        />
      )}
    </Page>
  );
}
