import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useState, type FormEvent, type KeyboardEvent } from "react";
import { ApiError, request } from "~/api/client";
import { EditConflict } from "~/parts/EditConflict";
import { Kbd } from "~/parts/shortcuts";
import { Markdown } from "~/parts/Markdown";
import { showSuccess, showError, showUndo } from "~/parts/toast";
import { cacheContext, readContext, refreshContexts, type LoadedContext } from "./contexts";
import classes from "./detail.module.css";

/** The editable fields of a context, and the version the edit started from. */
export interface Draft {
  base: LoadedContext;
  name: string;
  description: string;
  content: string;
}

export const toDraft = (read: LoadedContext): Draft => ({
  base: read,
  name: read.context.name,
  description: read.context.description,
  content: read.context.content,
});

const FIELDS = ["name", "description", "content"] as const;
/** The fields that differ; the others are not sent because someone else may have changed them. */
const changedFields = (draft: Draft) =>
  Object.fromEntries(
    FIELDS.filter((field) => draft[field] !== draft.base.context[field]).map((field) => [
      field,
      draft[field],
    ]),
  );
export const isDirty = (draft: Draft) => Object.keys(changedFields(draft)).length > 0;
const toText = (fields: Pick<Draft, (typeof FIELDS)[number]>) =>
  `Name: ${fields.name}\nDescription: ${fields.description}\n\n${fields.content}\n`;

/** Markdown editor and preview, side by side on wide screens. */
function MarkdownField({ content, set }: { content: string; set: (content: string) => void }) {
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const [view, setView] = useState("write");
  const deferred = useDeferredValue(content);
  return (
    <>
      {narrow && (
        <SegmentedControl
          aria-label="Write or preview"
          value={view}
          onChange={setView}
          data={[
            { value: "write", label: "Write" },
            { value: "preview", label: "Preview" },
          ]}
        />
      )}
      <div className={classes.splitView}>
        {(!narrow || view === "write") && (
          <Textarea
            label="Text (Markdown)"
            autosize
            minRows={14}
            maxRows={32}
            maxLength={200_000}
            value={content}
            classNames={{ input: classes.editor }}
            onChange={(event) => set(event.currentTarget.value)}
          />
        )}
        {(!narrow || view === "preview") && (
          <div>
            <Text size="sm" fw={600} mb={4} id="preview-name">
              Preview
            </Text>
            <div className={classes.preview} role="region" aria-labelledby="preview-name" tabIndex={0}>
              {deferred.trim() ? (
                <Markdown text={deferred} />
              ) : (
                <Text size="sm" c="dimmed">
                  Nothing to preview yet.
                </Text>
              )}
            </div>
          </div>
        )}
      </div>
    </>
  );
}

interface Props {
  draft: Draft;
  setDraft: (draft: Draft) => void;
  close: () => void;
  reopen: (draft: Draft) => void;
}

export function ContextEditor({ draft, setDraft, close, reopen }: Props) {
  const cache = useQueryClient();
  const [theirs, setTheirs] = useState<LoadedContext | null>(null);
  const [busy, setBusy] = useState(false);
  const { id } = draft.base.context;
  const dirty = isDirty(draft);
  const ready = draft.name.trim() !== "";
  useEffect(() => {
    if (!dirty) return undefined;
    const warnOnLeave = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", warnOnLeave);
    return () => window.removeEventListener("beforeunload", warnOnLeave);
  }, [dirty]);
  const save = async (against: LoadedContext) => {
    if (!ready || busy) return;
    const body = changedFields({ ...draft, base: against });
    if (Object.keys(body).length === 0) return close();
    setBusy(true);
    try {
      const response = await request("patch", "/api/contexts/{id}", {
        path: { id },
        body,
        ifMatch: against.etag,
      });
      cacheContext(cache, { context: response.data, etag: response.etag ?? "" });
      showSuccess(`Saved “${response.data.name}”.`);
      close();
      void refreshContexts(cache);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) return showError(error as Error);
      try {
        setTheirs(await readContext(id));
      } catch (error) {
        showError(error as Error);
      }
    } finally {
      setBusy(false);
    }
  };
  const cancel = () => {
    close();
    if (dirty) showUndo("Changes discarded.", () => reopen(draft));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) cancel();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save(draft.base);
  };
  const rebase = (base: LoadedContext) => {
    setDraft({ ...draft, base });
    setTheirs(null);
  };
  if (theirs)
    return (
      <EditConflict
        noun="context"
        mine={toText(draft)}
        theirs={toText(theirs.context)}
        onKeepMine={() => {
          rebase(theirs);
          void save(theirs);
        }}
        onTakeTheirs={() => {
          cacheContext(cache, theirs);
          close();
        }}
        onKeepEditing={() => rebase(theirs)}
      />
    );
  return (
    <form
      className={classes.detail}
      aria-labelledby="writing-name"
      onKeyDown={onKeyDown}
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        void save(draft.base);
      }}
    >
      <Stack gap="md">
        <Title order={2} id="writing-name">
          Edit {draft.base.context.name}
        </Title>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label="Name"
            required
            autoFocus
            miw="12rem"
            maxLength={100}
            value={draft.name}
            onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
          />
          <TextInput
            label="Description"
            flex="3 1 18rem"
            maw="none"
            maxLength={500}
            value={draft.description}
            onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
          />
        </Group>
        <MarkdownField content={draft.content} set={(content) => setDraft({ ...draft, content })} />
        <Group gap="xs">
          <Button type="submit" loading={busy} disabled={!ready}>
            Save
          </Button>
          <Button variant="subtle" onClick={cancel}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Kbd>Ctrl Enter</Kbd> save · <Kbd>Esc</Kbd> cancel
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
