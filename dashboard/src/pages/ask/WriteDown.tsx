import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";
import { call } from "~/api/client";
import { ApiError } from "~/api/client";
import type { ItemType } from "~/api/types";
import { TYPES } from "~/parts/Tag";
import { showDone, showProblem } from "~/parts/toast";

const TITLE_CHARS = 200;
const CONTENT_CHARS = 20_000;

/** Tell the memory what it did not know: it becomes a draft, which somebody approves. */
async function tell(projectId: string, item: { title: string; content: string; type: ItemType }) {
  const payload = { operation: "create", item, source: "dashboard" } as unknown as Record<string, never>;
  const { sessionId } = await call("post", "/api/v2/events", {
    body: { projectId, event: "memory_operation", payload },
  });
  try {
    await call("post", "/api/v2/sessions/{id}/enrich", { path: { id: sessionId } });
  } catch (problem) {
    // A run that has begun a moment ago may have missed it; it is kept, and taken with the next.
    if (!(problem instanceof ApiError) || problem.status !== 409) throw problem;
  }
}

export function WriteDown({
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
      await tell(projectId, { title: title.trim(), content: content.trim() || title.trim(), type });
      showDone("Written down. It waits in Review for somebody to approve it.");
      setTitle("");
      setContent("");
      close();
    } catch (problem) {
      showProblem(problem as Error);
    }
    setBusy(false);
  };
  return (
    <Modal opened={question !== null} onClose={close} title="Write it down" size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
      >
        <Stack gap="sm">
          {question && (
            <Text size="sm" c="dimmed" lineClamp={3}>
              Asked was: {question}
            </Text>
          )}
          <TextInput
            label="In one sentence"
            description="As a fact, the way you would tell a colleague"
            data-autofocus
            required
            maxLength={TITLE_CHARS}
            value={title}
            onChange={(event) => setTitle(event.currentTarget.value)}
          />
          <Textarea
            label="More about it"
            description="Why it is so, since when, where it holds. Markdown, if you like."
            autosize
            minRows={4}
            maxRows={14}
            maxLength={CONTENT_CHARS}
            value={content}
            onChange={(event) => setContent(event.currentTarget.value)}
          />
          <Select
            label="Kind"
            data={TYPES}
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
              Write it down
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
