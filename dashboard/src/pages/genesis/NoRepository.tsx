import { Button, Stack, Text, Title } from "@mantine/core";
import { IconGitBranch, IconTerminal2 } from "@tabler/icons-react";
import { Link } from "wouter";
import { Code } from "~/parts/Copy";
import parts from "~/parts/parts.module.css";
import { useMayManage, useMayWrite, useProject } from "~/shell/project";
import classes from "./genesis.module.css";

/** Nothing to read from: how a repository is connected, and the way without a host. */
export function NoRepository() {
  const project = useProject();
  const mayManage = useMayManage();
  const mayWrite = useMayWrite();
  return (
    <section className={classes.ways} aria-label="How a codebase is read">
      <div className={parts.card}>
        <Stack gap="sm" align="flex-start">
          <IconGitBranch size={28} stroke={1.5} aria-hidden />
          <Title order={2} size="h4">
            This project has no repository
          </Title>
          <Text size="sm" c="dimmed">
            Once it has one, Genesis reads it from its host over HTTPS: what the product is, how it is built,
            what it depends on, where it begins, and what a security review would say.
          </Text>
          {mayManage && project.status === "active" ? (
            <Button component={Link} href={`/p/${project.id}/settings`}>
              Connect a repository
            </Button>
          ) : (
            <Text size="sm">Those who manage the project can connect one in its settings.</Text>
          )}
        </Stack>
      </div>
      <div className={parts.card}>
        <Stack gap="sm">
          <IconTerminal2 size={28} stroke={1.5} aria-hidden />
          <Title order={2} size="h4">
            Without a host
          </Title>
          <Text size="sm" c="dimmed">
            {mayWrite
              ? "Read a checkout on your own machine. Only what was found is sent, and it becomes memory of this project."
              : "Whoever may write in this project can read a checkout on their own machine."}
          </Text>
          <Code label="Copy the command">{`loremark scan --project ${project.id}`}</Code>
          <Text size="xs" c="dimmed">
            Run it in the folder of the checkout. With <code>--dry-run</code> it looks and sends nothing.
          </Text>
        </Stack>
      </div>
    </section>
  );
}
