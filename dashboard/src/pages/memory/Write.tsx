import { Button, Group, Modal, Select, Stack, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { ApiError, call } from "~/api/client";
import type { ItemType } from "~/api/types";
import { TYPES } from "~/parts/Tag";
import { showDone, showProblem } from "~/parts/toast";
import { cleanKey, isKey } from "./filters";

interface Props {
  projectId: string;
  opened: boolean;
  close: () => void;
}

/** Tell it as an agent would, and have it made into memory at once. Whether that has begun. */
async function tellMemory(projectId: string, item: Record<string, unknown>): Promise<boolean> {
  const payload = { operation: "create", item, source: "dashboard" };
  const told = await call("post", "/api/v2/events", {
    body: { projectId, event: "memory_operation", payload: payload as never },
  });
  if (told.duplicate) throw new ApiError(409, "Exactly this was told before.");
  try {
    await call("post", "/api/v2/sessions/{id}/enrich", { path: { id: told.sessionId } });
    return true;
  } catch {
    // It is kept; a session that is being worked on takes it in later.
    return false;
  }
}

/** A memory in one's own words. */
export function Write({ projectId, opened, close }: Props) {
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
      const begun = await tellMemory(projectId, item);
      showDone(
        begun
          ? "Kept. It appears here in a moment, once it was held against what is known."
          : "Kept. It appears here with the next enrichment.",
      );
      setTitle("");
      setContent("");
      setFiles([]);
      close();
    } catch (problem) {
      showProblem(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={close}
      title="Write a memory"
      size="lg"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={(event) => void send(event)}>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            It goes the way of everything that agents tell: held against what is known, merged with what says
            the same.
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
            description="The whole of it, with its reason. Markdown."
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
              data={TYPES}
              value={type}
              allowDeselect={false}
              onChange={(chosen) => chosen && setType(chosen as ItemType)}
            />
            <TextInput
              label="Schema key"
              placeholder="Found by itself if left empty"
              value={schemaKey}
              maxLength={500}
              error={!isKey(schemaKey) && "Small letters, digits and -, parts divided by /"}
              onChange={(event) => setSchemaKey(event.currentTarget.value)}
            />
          </Group>
          <TagsInput
            label="Files"
            description="Enter after each path"
            value={files}
            onChange={setFiles}
            maxTags={50}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={!ready}>
              Keep it
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
