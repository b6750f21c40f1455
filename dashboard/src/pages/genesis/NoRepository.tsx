import { Button, Stack, Text, Title } from "@mantine/core";
import { IconGitBranch, IconTelescope, IconTerminal2 } from "@tabler/icons-react";
import { Link } from "wouter";
import { CodeBlock } from "~/parts/Copy";
import { EmptyState } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { useCanManage, useCanWrite, useProject } from "~/shell/project";
import classes from "./genesis.module.css";

/** Shows how to connect a repository or scan a local checkout instead. */
export function NoRepository() {
  const project = useProject();
  const canManage = useCanManage();
  const canWrite = useCanWrite();
  if (project.status === "archived")
    return (
      <EmptyState icon={<IconTelescope size={40} />} title="No repository connected">
        This project is archived. Unarchive it in Project settings to scan a codebase.
      </EmptyState>
    );
  return (
    <section className={classes.options} aria-label="Ways to scan a codebase">
      <div className={parts.card}>
        <Stack gap="sm" align="flex-start">
          <IconGitBranch size={28} stroke={1.5} aria-hidden />
          <Title order={2} size="h4">
            No repository connected
          </Title>
          <Text size="sm" c="dimmed">
            Genesis reads a connected repository over HTTPS and reports on the product, architecture,
            dependencies, entry points and security.
          </Text>
          {canManage ? (
            <Button component={Link} href={`/p/${project.id}/settings`}>
              Connect repository
            </Button>
          ) : (
            <Text size="sm">Ask a project admin to connect a repository in Project settings.</Text>
          )}
        </Stack>
      </div>
      <div className={parts.card}>
        <Stack gap="sm">
          <IconTerminal2 size={28} stroke={1.5} aria-hidden />
          <Title order={2} size="h4">
            Scan a local checkout
          </Title>
          <Text size="sm" c="dimmed">
            {canWrite
              ? "Scan a checkout on your machine. Only the findings are sent, and added to Memory for review."
              : "Anyone with write access can scan a checkout on their machine."}
          </Text>
          <CodeBlock label="Copy command">{`loremark scan --project ${project.id}`}</CodeBlock>
          <Text size="xs" c="dimmed">
            Run it in the checkout's folder. Add <code>--dry-run</code> to scan without sending anything.
          </Text>
        </Stack>
      </div>
    </section>
  );
}
