import { Button, Group, Modal, Select, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ApiError, call } from "~/api/client";
import type { ItemType } from "~/api/types";
import { SCHEMA_KEY_HELP } from "~/parts/names";
import { ITEM_TYPES } from "~/parts/Tag";
import { showSuccess, showError } from "~/parts/toast";
import { cleanKey, isKey } from "./filters";

interface Props {
  projectId: string;
  opened: boolean;
  close: () => void;
}

/** Saves a memory through the event pipeline. Returns whether enrichment started right away. */
async function saveMemory(projectId: string, item: Record<string, unknown>): Promise<boolean> {
  const payload = { operation: "create", item, source: "dashboard" };
  const event = await call("post", "/api/v2/events", {
    body: { projectId, event: "memory_operation", payload: payload as never },
  });
  if (event.duplicate) throw new ApiError(409, "This memory has already been saved.");
  try {
    await call("post", "/api/v2/sessions/{id}/enrich", { path: { id: event.sessionId } });
    return true;
  } catch {
    // The event is stored; the next enrichment of the session picks it up.
    return false;
  }
}

export function NewMemoryDialog({ projectId, opened, close }: Props) {
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [type, setType] = useState<ItemType>("decision");
  const [schemaKey, setSchemaKey] = useState("");
  const [files, setFiles] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const ready = title.trim() !== "" && content.trim() !== "" && isKey(schemaKey);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready) return;
    setBusy(true);
    try {
      const key = cleanKey(schemaKey);
      const item = { title, content, type, files, confidence: 1, ...(key ? { schemaKey: key } : {}) };
      const started = await saveMemory(projectId, item);
      showSuccess(
        started
          ? "Saved. It appears here once enrichment finishes."
          : "Saved. It appears here after the next enrichment.",
      );
      setTitle("");
      setContent("");
      setFiles([]);
      close();
    } catch (error) {
      showError(error as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="New memory"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            The memory goes through the same pipeline as agent events: it is checked for conflicts and merged
            with duplicates.
          </Text>
          <TextInput
            data-autofocus
            required
            label="Title"
            description="The fact in one line"
            maxLength={200}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <Textarea
            required
            label="Content"
            description="The details and the reason. Markdown is supported."
            autosize
            minRows={4}
            maxRows={14}
            maxLength={8000}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <Group grow align="flex-start">
            <Select
              label="Type"
              data={ITEM_TYPES}
              value={type}
              allowDeselect={false}
              onChange={(chosen) => chosen && setType(chosen as ItemType)}
            />
            <TextInput
              label="Schema key"
              description={SCHEMA_KEY_HELP}
              inputWrapperOrder={["label", "input", "description", "error"]}
              placeholder="Detected if left empty"
              value={schemaKey}
              maxLength={500}
              error={!isKey(schemaKey) && "Use lowercase letters, digits and -, separated by /"}
              onChange={(event) => setSchemaKey(event.currentTarget.value)}
            />
          </Group>
          <TagsInput
            label="Files"
            description="Press Enter after each path"
            value={files}
            onChange={setFiles}
            maxTags={50}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={!ready}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
