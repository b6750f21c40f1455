import { Anchor, Button, Group, SegmentedControl, Select, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { canManageTeam, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import { useCurrentProjectId } from "~/shell/Shell";
import { AgentPicker } from "./AgentPicker";
import { findAgent } from "./agents";
import { SetupCommands } from "./SetupCommands";
import { KeyList } from "./KeyList";
import { CreateKey } from "./CreateKey";

/** Setup commands for the chosen agent and project. */
function ConnectAgent() {
  const me = useMe();
  const currentId = useCurrentProjectId();
  const projects = useProjects();
  const writable = (projects.data ?? []).filter(
    (one) => one.status === "active" && one.accessLevel !== "read",
  );
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [agentName, setAgent] = useState("claude-code");
  const project = writable.find((one) => one.id === (selectedId ?? currentId)) ?? writable[0];
  const agent = findAgent(agentName);
  return (
    <Stack gap="lg">
      <AgentPicker value={agentName} onChange={setAgent} />
      {project && agent ? (
        <>
          {writable.length > 1 && (
            <Select
              label="Project"
              maw={420}
              data={writable.map((one) => ({ value: one.id, label: one.name }))}
              value={project.id}
              onChange={setSelectedId}
              allowDeselect={false}
              searchable={writable.length > 8}
            />
          )}
          <SetupCommands agent={agent} projectId={project.id} />
        </>
      ) : (
        projects.data && (
          <Text c="dimmed">
            {canManageTeam(me)
              ? "You have no project to connect yet. Create one on the Home page."
              : "You have no project to connect yet. Ask a team admin to add you to one."}
          </Text>
        )
      )}
      <Text size="sm" c="dimmed">
        The{" "}
        <Anchor component={Link} href="/welcome" inherit underline="always">
          setup guide
        </Anchor>{" "}
        walks you through these steps and shows the first event as it arrives. If something goes wrong, run{" "}
        <code>loremark doctor</code>.
      </Text>
    </Stack>
  );
}

export default function Keys() {
  const me = useMe();
  const [opened, dialog] = useDisclosure(false);
  const [scope, setScope] = useState("mine");
  return (
    <Page
      title="API keys"
      about="An API key lets an agent, a script or the CLI act as you."
      actions={
        <Button leftSection={<IconPlus size={16} />} onClick={dialog.open}>
          New key
        </Button>
      }
    >
      <Stack gap="xl">
        <section aria-label="Keys">
          <Group justify="space-between" mb="sm">
            <Title order={2}>Keys</Title>
            {canManageTeam(me) && (
              <SegmentedControl
                aria-label="Show keys"
                value={scope}
                onChange={setScope}
                data={[
                  { value: "mine", label: "Mine" },
                  { value: "team", label: "Team" },
                ]}
              />
            )}
          </Group>
          <KeyList team={scope === "team"} />
        </section>
        <section aria-label="Connect an agent">
          <Title order={2} mb={4}>
            Connect an agent
          </Title>
          <Text c="dimmed" mb="md">
            Do this once per machine and repository. Capture and briefing then run automatically.
          </Text>
          <div className={parts.card}>
            <ConnectAgent />
          </div>
        </section>
      </Stack>
      <CreateKey opened={opened} onClose={dialog.close} />
    </Page>
  );
}
