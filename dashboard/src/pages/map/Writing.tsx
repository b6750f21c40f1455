import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput, Title } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQueryClient } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useState, type FormEvent, type KeyboardEvent } from "react";
import { ApiError, tell } from "~/api/client";
import { Clash } from "~/parts/Clash";
import { Key } from "~/parts/keys";
import { Markdown } from "~/parts/Markdown";
import { showDone, showProblem, showUndo } from "~/parts/toast";
import { keepRead, readContext, touchContexts, type Read } from "./contexts";
import classes from "./detail.module.css";

/** What a person may write of a context, and what it was when they began. */
export interface Draft {
  base: Read;
  name: string;
  description: string;
  content: string;
}

export const draftOf = (read: Read): Draft => ({
  base: read,
  name: read.context.name,
  description: read.context.description,
  content: read.context.content,
});

const FIELDS = ["name", "description", "content"] as const;
/** Only what differs is sent: the rest may have been changed by somebody else. */
const changeOf = (draft: Draft) =>
  Object.fromEntries(
    FIELDS.filter((field) => draft[field] !== draft.base.context[field]).map((field) => [
      field,
      draft[field],
    ]),
  );
export const isDirty = (draft: Draft) => Object.keys(changeOf(draft)).length > 0;
const asText = (of: Pick<Draft, (typeof FIELDS)[number]>) =>
  `Name: ${of.name}\nDescription: ${of.description}\n\n${of.content}\n`;

/** Markdown and how it will look: side by side, or one after the other where there is no room. */
function Sides({ content, set }: { content: string; set: (content: string) => void }) {
  const narrow = useMediaQuery("(max-width: 62em)", false, { getInitialValueInEffect: false });
  const [side, setSide] = useState("write");
  const seen = useDeferredValue(content);
  return (
    <>
      {narrow && (
        <SegmentedControl
          aria-label="Write or preview"
          value={side}
          onChange={setSide}
          data={[
            { value: "write", label: "Write" },
            { value: "preview", label: "Preview" },
          ]}
        />
      )}
      <div className={classes.sides}>
        {(!narrow || side === "write") && (
          <Textarea
            label="Text, in Markdown"
            autosize
            minRows={14}
            maxRows={32}
            maxLength={200_000}
            value={content}
            classNames={{ input: classes.write }}
            onChange={(event) => set(event.currentTarget.value)}
          />
        )}
        {(!narrow || side === "preview") && (
          <div>
            <Text size="sm" fw={600} mb={4} id="preview-name">
              Preview
            </Text>
            <div className={classes.preview} role="region" aria-labelledby="preview-name" tabIndex={0}>
              {seen.trim() ? (
                <Markdown text={seen} />
              ) : (
                <Text size="sm" c="dimmed">
                  What you write is shown here as it will look.
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

export function Writing({ draft, setDraft, close, reopen }: Props) {
  const cache = useQueryClient();
  const [theirs, setTheirs] = useState<Read | null>(null);
  const [busy, setBusy] = useState(false);
  const { id } = draft.base.context;
  const dirty = isDirty(draft);
  const ready = draft.name.trim() !== "";
  useEffect(() => {
    if (!dirty) return undefined;
    const stay = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener("beforeunload", stay);
    return () => window.removeEventListener("beforeunload", stay);
  }, [dirty]);
  const save = async (against: Read) => {
    if (!ready || busy) return;
    const body = changeOf({ ...draft, base: against });
    if (Object.keys(body).length === 0) return close();
    setBusy(true);
    try {
      const told = await tell("patch", "/api/contexts/{id}", { path: { id }, body, ifMatch: against.etag });
      keepRead(cache, { context: told.data, etag: told.etag ?? "" });
      showDone(`Saved “${told.data.name}”`);
      close();
      void touchContexts(cache);
    } catch (problem) {
      if (!(problem instanceof ApiError) || problem.status !== 412) return showProblem(problem as Error);
      try {
        setTheirs(await readContext(id));
      } catch (gone) {
        showProblem(gone as Error);
      }
    } finally {
      setBusy(false);
    }
  };
  const cancel = () => {
    close();
    if (dirty) showUndo("Your text was put aside", () => reopen(draft));
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) cancel();
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void save(draft.base);
  };
  const settle = (now: Read) => {
    setDraft({ ...draft, base: now });
    setTheirs(null);
  };
  if (theirs)
    return (
      <Clash
        of="context"
        mine={asText(draft)}
        theirs={asText(theirs.context)}
        keepMine={() => {
          settle(theirs);
          void save(theirs);
        }}
        takeTheirs={() => {
          keepRead(cache, theirs);
          close();
        }}
        goOn={() => settle(theirs)}
      />
    );
  return (
    <form
      className={classes.detail}
      aria-labelledby="writing-name"
      onKeyDown={press}
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
        <Sides content={draft.content} set={(content) => setDraft({ ...draft, content })} />
        <Group gap="xs">
          <Button type="submit" loading={busy} disabled={!ready}>
            Save
          </Button>
          <Button variant="subtle" onClick={cancel}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Key>Ctrl Enter</Key> save · <Key>Esc</Key> cancel
          </Text>
        </Group>
      </Stack>
    </form>
  );
}
