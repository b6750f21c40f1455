import {
  Button,
  Group,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "~/api/client";
import { showDone } from "~/parts/toast";
import { manages, useMe } from "~/shell/login";
import { useMayWrite, useProject } from "~/shell/project";
import { touchContexts } from "./contexts";
import type { Node } from "./places";

interface Props {
  /** Null for one at the top. */
  above: Node | null;
  opened: boolean;
  close: () => void;
  made: (id: string) => void;
}

/** The end of the key the server makes of a name. */
const slug = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);

export function NewContext({ above, opened, close, made }: Props) {
  const cache = useQueryClient();
  const project = useProject();
  const mayWrite = useMayWrite();
  const mayTeam = manages(useMe()) && (above === null || above.place.projectId === null);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [content, setContent] = useState("");
  const [tier, setTier] = useState("2");
  const [whose, setWhose] = useState(mayWrite ? "project" : "team");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    setBusy(true);
    setProblem("");
    try {
      const context = await call("post", "/api/contexts", {
        body: {
          name: name.trim(),
          description,
          content,
          tier: Number(tier),
          parentContextId: above?.place.id ?? null,
          projectId: whose === "team" ? null : project.id,
          schemaKey: null,
          contextType: "memory",
        },
      });
      await touchContexts(cache);
      showDone(`Made “${context.name}”, a draft until it is approved`);
      for (const clear of [setName, setDescription, setContent]) clear("");
      close();
      made(context.id);
    } catch (refused) {
      setProblem((refused as Error).message);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={above ? `New context below “${above.place.name}”` : "New context"}
    >
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description={`Its schema key will be ${above?.place.schemaKey ?? "root"}/${slug(name) || "…"}`}
            required
            data-autofocus
            maxLength={100}
            value={name}
            error={problem}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Description"
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Textarea
            label="Text, in Markdown"
            autosize
            minRows={4}
            maxRows={16}
            maxLength={200_000}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <Select
            label="Tier"
            data={[
              { value: "1", label: "1, enters the brain first" },
              { value: "2", label: "2, enters after that" },
              { value: "3", label: "3, where there is room" },
            ]}
            value={tier}
            allowDeselect={false}
            onChange={(chosen) => chosen && setTier(chosen)}
          />
          {mayTeam && mayWrite && (
            <div>
              <Text size="sm" fw={500} mb={4}>
                For whom
              </Text>
              <SegmentedControl
                aria-label="For whom"
                value={whose}
                onChange={setWhose}
                data={[
                  { value: "project", label: "This project" },
                  { value: "team", label: "The whole team" },
                ]}
              />
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="subtle" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={name.trim() === ""}>
              Make it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
