import { Anchor, Button, Group, Select, Stack, Text, Title } from "@mantine/core";
import { IconCheck, IconKey } from "@tabler/icons-react";
import { useState, type ReactNode } from "react";
import { Link, useSearchParams } from "wouter";
import { useSend } from "~/api/hooks";
import type { Project } from "~/api/types";
import { Loaded, Page } from "~/parts/Page";
import { AgentPicker } from "~/pages/keys/AgentPicker";
import { findAgent, type Agent } from "~/pages/keys/agents";
import { Commands } from "~/pages/keys/Commands";
import { NewKeyShown } from "~/pages/keys/NewKeyShown";
import { NewProjectForm } from "~/pages/project/NewProject";
import { manages, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import { FirstEvent } from "./FirstEvent";
import classes from "./welcome.module.css";

const TITLES: Record<Agent["kind"], (title: string) => string> = {
  agent: (title) => `Connect ${title}`,
  mcp: () => "Connect your MCP client",
  curl: () => "Send an event with curl",
};

type State = "done" | "current" | "later";

function Step({
  number,
  title,
  state,
  children,
}: {
  number: number;
  title: string;
  state: State;
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
          {state === "done" && <span className="said">Done.</span>}
        </div>
        {children && <div className={classes.body}>{children}</div>}
      </div>
    </li>
  );
}

function ProjectStep({
  mine,
  chosen,
  choose,
}: {
  mine: Project[];
  chosen: Project | undefined;
  choose: (id: string) => void;
}) {
  const me = useMe();
  const [making, setMaking] = useState(false);
  if (mine.length === 0 && !manages(me))
    return (
      <Text>
        You are not a member of any project yet. Ask the owner or an admin of {me.teamName} to add you to one;
        it appears here by itself.
      </Text>
    );
  if (making || mine.length === 0)
    return (
      <NewProjectForm
        short
        onCancel={mine.length > 0 ? () => setMaking(false) : undefined}
        onMade={(made) => {
          setMaking(false);
          choose(made.id);
        }}
      />
    );
  return (
    <Group align="flex-end" gap="sm">
      <Select
        label="Project"
        flex="1 1 14rem"
        maw={420}
        data={mine.map((one) => ({ value: one.id, label: one.name }))}
        value={chosen?.id ?? null}
        onChange={(id) => id && choose(id)}
        allowDeselect={false}
        searchable={mine.length > 8}
        placeholder="Choose one"
      />
      {manages(me) && (
        <Button variant="default" onClick={() => setMaking(true)}>
          New project
        </Button>
      )}
    </Group>
  );
}

function KeyStep({ agent, project }: { agent: Agent; project: Project }) {
  const make = useSend("post", "/api/keys", { touches: ["/api/keys"] });
  const name = `${agent.title}, ${project.name}`.slice(0, 100);
  return (
    <Stack gap="lg">
      {make.data ? (
        <NewKeyShown apiKey={make.data.key} />
      ) : (
        <Group gap="md">
          <Button
            leftSection={<IconKey size={16} />}
            loading={make.isPending}
            onClick={() => make.mutate({ body: { name } })}
          >
            Make a key
          </Button>
          <Text size="sm" c="dimmed" flex="1 1 14rem">
            The agent acts with it as you. You can end it at any time under{" "}
            <Anchor component={Link} href="/keys" inherit underline="always">
              Keys and agents
            </Anchor>
            .
          </Text>
        </Group>
      )}
      <Commands agent={agent} projectId={project.id} />
    </Stack>
  );
}

function Tour({ all }: { all: Project[] }) {
  const [asked, setAsked] = useSearchParams();
  const mine = all.filter((one) => one.status === "active" && one.rights !== "read");
  const project =
    mine.find((one) => one.id === asked.get("project")) ?? (mine.length === 1 ? mine[0] : undefined);
  const agent = findAgent(asked.get("agent"));
  const set = (name: string, value: string) =>
    setAsked(
      (before) => {
        const now = new URLSearchParams(before);
        now.set(name, value);
        return now;
      },
      { replace: true },
    );
  const ready = project !== undefined && agent !== undefined;
  return (
    <ol className={classes.tour}>
      <Step number={1} title="Choose the project" state={project ? "done" : "current"}>
        <ProjectStep mine={mine} chosen={project} choose={(id) => set("project", id)} />
      </Step>
      <Step number={2} title="Choose your agent" state={agent ? "done" : project ? "current" : "later"}>
        {project && <AgentPicker value={agent?.name ?? ""} onChange={(name) => set("agent", name)} />}
      </Step>
      <Step
        number={3}
        title={agent ? TITLES[agent.kind](agent.title) : "Connect it"}
        state={ready ? "current" : "later"}
      >
        {ready && <KeyStep agent={agent} project={project} />}
      </Step>
      <Step number={4} title="See the first event arrive" state={ready ? "current" : "later"}>
        {ready && <FirstEvent key={project.id} projectId={project.id} />}
      </Step>
    </ol>
  );
}

/** From nothing to an agent that remembers. */
export default function Welcome() {
  const me = useMe();
  const projects = useProjects();
  return (
    <Page
      title={`Welcome, ${me.name}`}
      about="Connect an agent, and what it learns in one session it knows in the next. It takes about two minutes."
      actions={
        <Button variant="subtle" component={Link} href="/">
          Do it later
        </Button>
      }
    >
      <Loaded of={projects}>{(all) => <Tour all={all} />}</Loaded>
    </Page>
  );
}
