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
import { errorText } from "~/parts/errorText";
import { BRAIN_LAYERS } from "~/parts/names";
import { showSuccess } from "~/parts/toast";
import { canManageTeam, useMe } from "~/shell/login";
import { useCanWrite, useProject } from "~/shell/project";
import { refreshContexts } from "./contexts";
import type { Node } from "./contextTree";

interface Props {
  /** Null to create a top-level context. */
  parent: Node | null;
  opened: boolean;
  close: () => void;
  onCreated: (id: string) => void;
}

/** The last segment of the schema key, as the server derives it from the name. */
const slug = (name: string) =>
  name
    .normalize("NFKD")
    .replace(/[^\x20-\x7e]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);

export function NewContextDialog({ parent, opened, close, onCreated }: Props) {
  const cache = useQueryClient();
  const project = useProject();
  const canWrite = useCanWrite();
  const canShareWithTeam = canManageTeam(useMe()) && (parent === null || parent.context.projectId === null);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const [content, setContent] = useState("");
  const [tier, setTier] = useState("2");
  const [scope, setScope] = useState(canWrite ? "project" : "team");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "") return;
    setBusy(true);
    setError("");
    try {
      const context = await call("post", "/api/contexts", {
        body: {
          name: name.trim(),
          description,
          content,
          tier: Number(tier),
          parentContextId: parent?.context.id ?? null,
          projectId: scope === "team" ? null : project.id,
          schemaKey: null,
          contextType: "memory",
        },
      });
      await refreshContexts(cache);
      showSuccess(`Created “${context.name}” as a draft.`);
      for (const clear of [setName, setDescription, setContent]) clear("");
      close();
      onCreated(context.id);
    } catch (error) {
      setError(errorText(error as Error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      size="lg"
      title={parent ? `New context under “${parent.context.name}”` : "New context"}
    >
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <TextInput
            label="Name"
            description={`Schema key: ${parent?.context.schemaKey ?? "root"}/${slug(name) || "…"}`}
            required
            data-autofocus
            maxLength={100}
            value={name}
            error={error}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="Description"
            maxLength={500}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Textarea
            label="Text (Markdown)"
            autosize
            minRows={4}
            maxRows={16}
            maxLength={200_000}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <Select
            label="Brain layer"
            data={BRAIN_LAYERS}
            value={tier}
            allowDeselect={false}
            onChange={(chosen) => chosen && setTier(chosen)}
          />
          {canShareWithTeam && canWrite && (
            <div>
              <Text size="sm" fw={500} mb={4}>
                Share with
              </Text>
              <SegmentedControl
                aria-label="Share with"
                value={scope}
                onChange={setScope}
                data={[
                  { value: "project", label: "This project" },
                  { value: "team", label: "Whole team" },
                ]}
              />
            </div>
          )}
          <Group justify="flex-end" gap="xs">
            <Button variant="subtle" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={name.trim() === ""}>
              Create
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
