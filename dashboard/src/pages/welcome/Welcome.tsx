import { Anchor, Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { IconCheck, IconKey } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useSend } from "~/api/hooks";
import type { Project } from "~/api/types";
import { Loaded, Page } from "~/parts/Page";
import { AgentPicker } from "~/pages/keys/AgentPicker";
import { findAgent, type Agent } from "~/pages/keys/agents";
import { SetupCommands } from "~/pages/keys/SetupCommands";
import { CreatedKey } from "~/pages/keys/CreatedKey";
import { NewProjectForm } from "~/pages/project/NewProject";
import { canManageTeam, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import { FirstEvent } from "./FirstEvent";
import classes from "./welcome.module.css";

const CONNECT_TITLES: Record<Agent["kind"], (title: string) => string> = {
  agent: (title) => `Connect ${title}`,
  mcp: () => "Connect your MCP client",
  curl: () => "Send an event with curl",
};

type StepState = "done" | "current" | "later";

function Step({
  number,
  title,
  state,
  children,
}: {
  number: number;
  title: string;
  state: StepState;
  children?: ReactNode;
}) {
  return (
    <li
      className={`${classes.step} ${classes[state]}`}
      aria-current={state === "current" ? "step" : undefined}
    >
      <span className={classes.number} aria-hidden>
        {state === "done" ? <IconCheck size={16} /> : number}
      </span>
      <div>
        <div className={classes.head}>
          <Title order={2}>{title}</Title>
          {state === "done" && <span className="visually-hidden">Done.</span>}
        </div>
        {children && <div className={classes.body}>{children}</div>}
      </div>
    </li>
  );
}

function ProjectStep({
  projects,
  selected,
  onSelect,
}: {
  projects: Project[];
  selected: Project | undefined;
  onSelect: (id: string) => void;
}) {
  const me = useMe();
  const [creating, setCreating] = useState(false);
  if (projects.length === 0 && !canManageTeam(me))
    return (
      <Text>
        You are not a member of any project yet. Ask an admin of {me.teamName} to add you; the project then
        appears here.
      </Text>
    );
  if (creating || projects.length === 0)
    return (
      <NewProjectForm
        short
        onCancel={projects.length > 0 ? () => setCreating(false) : undefined}
        onCreated={(project) => {
          setCreating(false);
          onSelect(project.id);
        }}
      />
    );
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label="Project"
        flex="1 1 14rem"
        maw={420}
        data={projects.map((project) => ({ value: project.id, label: project.name }))}
        value={selected?.id ?? null}
        onChange={(id) => id && onSelect(id)}
        allowDeselect={false}
        searchable={projects.length > 8}
        placeholder="Choose a project"
      />
      {canManageTeam(me) && (
        <Button variant="default" onClick={() => setCreating(true)}>
          New project
        </Button>
      )}
    </Group>
  );
}

function KeyStep({ agent, project }: { agent: Agent; project: Project }) {
  const create = useSend("post", "/api/keys", { invalidates: ["/api/keys"] });
  const name = `${agent.title}, ${project.name}`.slice(0, 100);
  return (
    <Stack gap="lg">
      {create.data ? (
        <CreatedKey apiKey={create.data.key} />
      ) : (
        <Group gap="md">
          <Button
            leftSection={<IconKey size={16} />}
            loading={create.isPending}
            onClick={() => create.mutate({ body: { name } })}
          >
            Create key
          </Button>
          <Text size="sm" c="dimmed" flex="1 1 14rem">
            {agent.kind === "agent"
              ? "The loremark command uses this key to act as you, and creates a limited one for your agents."
              : "This key acts as you."}{" "}
            You can revoke it any time under{" "}
            <Anchor component={Link} href="/keys" inherit underline="always">
              API keys
            </Anchor>
            .
          </Text>
        </Group>
      )}
      <SetupCommands agent={agent} projectId={project.id} />
    </Stack>
  );
}

function SetupSteps({ projects }: { projects: Project[] }) {
  const [params, setParams] = useSearchParams();
  const writable = projects.filter((one) => one.status === "active" && one.accessLevel !== "read");
  const project =
    writable.find((one) => one.id === params.get("project")) ??
    (writable.length === 1 ? writable[0] : undefined);
  const agent = findAgent(params.get("agent"));
  const set = (name: string, value: string) =>
    setParams(
      (current) => {
        const next = new URLSearchParams(current);
        next.set(name, value);
        return next;
      },
      { replace: true },
    );
  const ready = project !== undefined && agent !== undefined;
  return (
    <ol className={classes.steps}>
      <Step number={1} title="Choose a project" state={project ? "done" : "current"}>
        <ProjectStep projects={writable} selected={project} onSelect={(id) => set("project", id)} />
      </Step>
      <Step number={2} title="Choose your agent" state={agent ? "done" : project ? "current" : "later"}>
        {project && <AgentPicker value={agent?.name ?? ""} onChange={(name) => set("agent", name)} />}
      </Step>
      <Step
        number={3}
        title={agent ? CONNECT_TITLES[agent.kind](agent.title) : "Connect your agent"}
        state={ready ? "current" : "later"}
      >
        {ready && <KeyStep agent={agent} project={project} />}
      </Step>
      <Step number={4} title="Receive the first event" state={ready ? "current" : "later"}>
        {ready && <FirstEvent key={project.id} projectId={project.id} agent={agent} />}
      </Step>
    </ol>
  );
}

/** The setup guide: project, agent, key, first event. */
export default function Welcome() {
  const me = useMe();
  const projects = useProjects();
  return (
    <Page
      title={`Welcome, ${me.name}`}
      about="Connect a coding agent so it remembers what it learned in earlier sessions. Takes about two minutes."
      actions={
        <Button variant="subtle" component={Link} href="/">
          Skip for now
        </Button>
      }
    >
      <Loaded query={projects}>{(all) => <SetupSteps projects={all} />}</Loaded>
    </Page>
  );
}
