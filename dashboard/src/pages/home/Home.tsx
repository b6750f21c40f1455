import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlugConnected, IconPlus, IconStack2 } from "@tabler/icons-react";
import { useMemo } from "react";
import { Link, useLocation } from "wouter";
import { useGet } from "~/api/hooks";
import { Empty, Loaded, Page } from "~/parts/Page";
import { amount } from "~/parts/Time";
import { NewProject } from "~/pages/project/NewProject";
import { manages, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import type { Overview, Seen } from "./health";
import classes from "./home.module.css";
import { Needs } from "./Needs";
import { Projects } from "./Projects";
import { SpendCard } from "./SpendCard";

const NEWEST = 200;

/** The team has nothing yet: the tour makes the first project and connects an agent. */
function FirstRun() {
  const mayMake = manages(useMe());
  return (
    <Empty
      icon={<IconStack2 size={40} />}
      title={mayMake ? "There is no project yet" : "No project is open to you yet"}
      action={
        mayMake && (
          <Button component={Link} href="/welcome" mt="xs">
            Make the first project
          </Button>
        )
      }
    >
      {mayMake
        ? "A project is the memory of one codebase. The tour makes one and connects your first agent; it takes two minutes."
        : "A project is the memory of one codebase. The team's owner or an admin can make one, or add you to it."}
    </Empty>
  );
}

/** There is a project, but nobody has told it anything. */
function Unconnected() {
  return (
    <section className={classes.banner} aria-label="Connect an agent">
      <Group wrap="nowrap" gap="sm" align="flex-start">
        <IconPlugConnected size={24} aria-hidden className={classes.bannerIcon} />
        <div>
          <Text fw={600}>No agent has sent anything yet</Text>
          <Text size="sm" c="dimmed">
            One command connects your agent. As soon as it works on the code, its sessions and what is learned
            from them appear here by themselves.
          </Text>
        </div>
      </Group>
      <Button component={Link} href="/welcome">
        Connect an agent
      </Button>
    </section>
  );
}

/** The projects in which the reader may judge: what others wait for is not theirs to do. */
function useJudged(projects: Seen[]): Seen[] {
  const known = useProjects().data;
  return useMemo(() => {
    const rights = new Map((known ?? []).map((one) => [one.id, one.rights]));
    return projects.filter((one) => one.status === "active" && (rights.get(one.id) ?? "read") !== "read");
  }, [known, projects]);
}

function Shown({ overview }: { overview: Overview }) {
  const { projects, spend } = overview;
  const judged = useJudged(projects);
  const silent = projects.every((one) => one.lastEventAt === null);
  return (
    <>
      <div className={spend ? classes.top : undefined}>
        {silent && judged.length > 0 ? <Unconnected /> : <Needs projects={judged} />}
        {spend && <SpendCard spend={spend} />}
      </div>
      <Projects projects={projects} judged={judged} />
      {projects.length >= NEWEST && (
        <Text size="sm" c="dimmed">
          These are the newest {NEWEST} projects. Older ones are found with Ctrl K.
        </Text>
      )}
    </>
  );
}

function about(all: Seen[]): string {
  const projects = all.filter((one) => one.status === "active");
  const items = projects.reduce((sum, one) => sum + one.items.approved, 0);
  return `${amount(projects.length, "project")}, ${amount(items, "approved item")} in memory.`;
}

export default function Home() {
  const me = useMe();
  const [, go] = useLocation();
  const [made, making] = useDisclosure(false);
  const overview = useGet("/api/v2/overview");
  const projects = overview.data?.projects ?? [];
  return (
    <Page
      title={me.teamName}
      about={projects.length > 0 ? about(projects) : "What your agents know, at a glance."}
      actions={
        manages(me) &&
        projects.length > 0 && (
          <Button variant="default" leftSection={<IconPlus size={16} />} onClick={making.open}>
            New project
          </Button>
        )
      }
    >
      <Loaded of={overview}>
        {(data) => (data.projects.length === 0 ? <FirstRun /> : <Shown overview={data} />)}
      </Loaded>
      {manages(me) && (
        <NewProject
          opened={made}
          onClose={making.close}
          onMade={(project) => {
            making.close();
            go(`/welcome?project=${project.id}`);
          }}
        />
      )}
    </Page>
  );
}
