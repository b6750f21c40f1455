import { Anchor, Button, Group, SegmentedControl, Select, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { manages, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import { useNearProject } from "~/shell/Shell";
import { AgentPicker } from "./AgentPicker";
import { findAgent } from "./agents";
import { Commands } from "./Commands";
import { KeyList } from "./KeyList";
import { MakeKey } from "./MakeKey";

/** What to type for each agent; with the id of a real project in it. */
function Connecting() {
  const near = useNearProject();
  const projects = useProjects();
  const mine = (projects.data ?? []).filter((one) => one.status === "active" && one.rights !== "read");
  const [chosen, setChosen] = useState<string | null>(null);
  const [agentName, setAgent] = useState("claude-code");
  const project = mine.find((one) => one.id === (chosen ?? near)) ?? mine[0];
  const agent = findAgent(agentName);
  return (
    <Stack gap="lg">
      <AgentPicker value={agentName} onChange={setAgent} />
      {project && agent ? (
        <>
          {mine.length > 1 && (
            <Select
              label="Project"
              maw={420}
              data={mine.map((one) => ({ value: one.id, label: one.name }))}
              value={project.id}
              onChange={setChosen}
              allowDeselect={false}
              searchable={mine.length > 8}
            />
          )}
          <Commands agent={agent} projectId={project.id} />
        </>
      ) : (
        projects.data && <Text c="dimmed">There is no project yet that you may write to.</Text>
      )}
      <Text size="sm" c="dimmed">
        The{" "}
        <Anchor component={Link} href="/welcome" inherit underline="always">
          tour
        </Anchor>{" "}
        does the same step by step and shows the first event as it comes. <code>loremark doctor</code> says
        what is wrong, if something is.
      </Text>
    </Stack>
  );
}

export default function Keys() {
  const me = useMe();
  const [opened, dialog] = useDisclosure(false);
  const [whose, setWhose] = useState("mine");
  return (
    <Page
      title="Keys and agents"
      about="A key lets an agent, a script or the command line act as you, until you end it."
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
            {manages(me) && (
              <SegmentedControl
                aria-label="Whose keys"
                value={whose}
                onChange={setWhose}
                data={[
                  { value: "mine", label: "Mine" },
                  { value: "team", label: "The team's" },
                ]}
              />
            )}
          </Group>
          <KeyList team={whose === "team"} />
        </section>
        <section aria-label="Connect an agent">
          <Title order={2} mb={4}>
            Connect an agent
          </Title>
          <Text c="dimmed" mb="md">
            Once for each machine and each repository; from then on capture and briefing happen by themselves.
          </Text>
          <div className={parts.card}>
            <Connecting />
          </div>
        </section>
      </Stack>
      <MakeKey opened={opened} onClose={dialog.close} />
    </Page>
  );
}
