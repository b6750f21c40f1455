import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { CodeBlock } from "~/parts/Copy";
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

function InstallSteps({ agent, url, projectId }: { agent: Agent; url: string; projectId: string }) {
  return (
    <ol className={classes.steps}>
      <Step title="Once per machine, sign in to the server. Paste the key when asked, so it stays out of your shell history.">
        <CodeBlock label="Copy login command">{`loremark login --url ${url}`}</CodeBlock>
        <Text size="xs" c="dimmed" mt={6}>
          Add <span className={classes.mono}>--browser</span> to sign in with your browser instead of pasting
          a key. Command not found? After <span className={classes.mono}>make run</span>, it is at{" "}
          <span className={classes.mono}>.venv/bin/loremark</span> in the Loremark checkout.
        </Text>
      </Step>
      <Step title="In your repository, link it to the project.">
        <CodeBlock label="Copy init command">{`loremark init --project ${projectId}`}</CodeBlock>
      </Step>
      <Step title={`Set up ${agent.title}. Use --dry-run to preview the changes.`}>
        <CodeBlock label="Copy install command">{`loremark install ${agent.name}`}</CodeBlock>
      </Step>
      {agent.reads && (
        <Step
          title={`Optional: let ${agent.title} read your finished sessions and write memories from them. It uses your own account, about 5,000 tokens per session, with daily limits.`}
        >
          <CodeBlock label="Copy reading command">loremark reading on</CodeBlock>
        </Step>
      )}
      <Step title={`${agent.next} Then work as usual.`}>
        {agent.limits && (
          <Text size="sm" c="dimmed">
            {agent.limits}
          </Text>
        )}
      </Step>
    </ol>
  );
}

/** Setup steps for one agent and one project. */
export function SetupCommands({ agent, projectId }: { agent: Agent; projectId: string }) {
  const url = window.location.origin;
  if (agent.kind === "curl")
    return (
      <ol className={classes.steps}>
        <Step title="Any HTTP client can send events. In a terminal:">
          <CodeBlock label="Copy curl command">{curlCommand(url, projectId)}</CodeBlock>
        </Step>
      </ol>
    );
  if (agent.kind === "mcp")
    return (
      <ol className={classes.steps}>
        <Step title="Set LOREMARK_API_KEY to your key in the client's environment, and add this to its settings:">
          <CodeBlock label="Copy settings">{mcpSettings(url)}</CodeBlock>
        </Step>
        <Step
          title={
            <>
              The tools take the project ID: <span className={classes.mono}>{projectId}</span>. There are no
              hooks, so Loremark captures only what the agent saves with a tool.
            </>
          }
        />
      </ol>
    );
  return <InstallSteps agent={agent} url={url} projectId={projectId} />;
}
