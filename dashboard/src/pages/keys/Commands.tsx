import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Code } from "~/parts/Copy";
import { curlCommand, mcpSettings, type Agent } from "./agents";
import classes from "./keys.module.css";

function Step({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <li>
      <Text size="sm" mb={6}>
        {title}
      </Text>
      {children}
    </li>
  );
}

function Installed({ agent, url, projectId }: { agent: Agent; url: string; projectId: string }) {
  return (
    <ol className={classes.steps}>
      <Step title="Once on this machine: remember the server. It asks for the key; paste it there, so that it stands in no shell history.">
        <Code label="Copy the login command">{`loremark login --url ${url}`}</Code>
        <Text size="xs" c="dimmed" mt={6}>
          Without pasting: add <span className={classes.mono}>--browser</span>, and allow it here. No such
          command? It comes with Loremark; after <span className={classes.mono}>make run</span> it is{" "}
          <span className={classes.mono}>.venv/bin/loremark</span> in Loremark's folder.
        </Text>
      </Step>
      <Step title="In the folder of your repository: link it to the project.">
        <Code label="Copy the init command">{`loremark init --project ${projectId}`}</Code>
      </Step>
      <Step
        title={`Set ${agent.title} up: capture, briefing and tools. It shows what it would change with --dry-run.`}
      >
        <Code label="Copy the install command">{`loremark install ${agent.name}`}</Code>
      </Step>
      <Step title={`${agent.next} Then work as always.`}>
        {agent.limits && (
          <Text size="sm" c="dimmed">
            {agent.limits}
          </Text>
        )}
      </Step>
    </ol>
  );
}

/** What is to be typed where, for one agent and one project. */
export function Commands({ agent, projectId }: { agent: Agent; projectId: string }) {
  const url = window.location.origin;
  if (agent.kind === "curl")
    return (
      <ol className={classes.steps}>
        <Step title="Anything that speaks HTTP can tell what was decided. In a terminal:">
          <Code label="Copy the curl command">{curlCommand(url, projectId)}</Code>
        </Step>
      </ol>
    );
  if (agent.kind === "mcp")
    return (
      <ol className={classes.steps}>
        <Step title="Put the key into the environment of the client, as LOREMARK_API_KEY, and this into its settings:">
          <Code label="Copy the settings">{mcpSettings(url)}</Code>
        </Step>
        <Step
          title={
            <>
              The tools name the project by its id: <span className={classes.mono}>{projectId}</span>. Only
              what the agent saves by a tool is captured; there are no hooks.
            </>
          }
        />
      </ol>
    );
  return <Installed agent={agent} url={url} projectId={projectId} />;
}
