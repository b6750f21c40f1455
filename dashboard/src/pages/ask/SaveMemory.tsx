import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { call } from "~/api/client";
import { ApiError } from "~/api/client";
import type { ItemType } from "~/api/types";
import { ITEM_TYPES } from "~/parts/Tag";
import { showSuccess, showError } from "~/parts/toast";

const TITLE_CHARS = 200;
const CONTENT_CHARS = 20_000;

/** Saves a memory through the event pipeline and starts enrichment, which approves it or leaves it as a draft. */
async function saveMemory(projectId: string, item: { title: string; content: string; type: ItemType }) {
  const payload = { operation: "create", item, source: "dashboard" } as unknown as Record<string, never>;
  const { sessionId } = await call("post", "/api/v2/events", {
    body: { projectId, event: "memory_operation", payload },
  });
  try {
    await call("post", "/api/v2/sessions/{id}/enrich", { path: { id: sessionId } });
  } catch (error) {
    // Enrichment is already running and may miss this event; the next run picks it up.
    if (!(error instanceof ApiError) || error.status !== 409) throw error;
  }
}

export function SaveMemory({
  projectId,
  question,
  close,
}: {
  projectId: string;
  question: string | null;
  close: () => void;
}) {
  const [title, setTitle] = useState("");
  const [content, setContent] = useState("");
  const [type, setType] = useState<ItemType>("decision");
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    try {
      await saveMemory(projectId, { title: title.trim(), content: content.trim() || title.trim(), type });
      showSuccess("Saved. It appears in Memory once enrichment finishes.");
      setTitle("");
      setContent("");
      close();
    } catch (error) {
      showError(error as Error);
    }
    setBusy(false);
  };
  return (
    <Modal opened={question !== null} onClose={close} title="Save memory" size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack gap="sm">
          {question && (
            <Text size="sm" c="dimmed" lineClamp={3}>
              Question: {question}
            </Text>
          )}
          <TextInput
            label="Title"
            description="State the fact in one sentence"
            data-autofocus
            required
            maxLength={TITLE_CHARS}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <Textarea
            label="Content"
            description="Why, since when, and where it applies. Markdown is supported."
            autosize
            minRows={4}
            maxRows={14}
            maxLength={CONTENT_CHARS}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <Select
            label="Type"
            data={ITEM_TYPES}
            value={type}
            onChange={(chosen) => chosen && setType(chosen as ItemType)}
            allowDeselect={false}
            maw={220}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={title.trim().length < 3}>
              Save memory
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
