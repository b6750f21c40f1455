import {
  Button,
  Group,
  Paper,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent, type KeyboardEvent } from "react";
import { ApiError, request } from "~/api/client";
import { updateCached, cacheItem, fetchItem, useItem, type FetchedItem } from "~/api/items";
import type { Item, ItemType } from "~/api/types";
import { EditConflict } from "~/parts/EditConflict";
import { Kbd } from "~/parts/shortcuts";
import { Markdown } from "~/parts/Markdown";
import { BRAIN_LAYERS, SCHEMA_KEY_HELP } from "~/parts/names";
import { Loaded } from "~/parts/Page";
import { ITEM_TYPES } from "~/parts/Tag";
import { showError } from "~/parts/toast";
import { cleanKey, isKey } from "../memory/filters";
import { toText, changedFields, toDraft, type Draft } from "./draft";
import classes from "./item.module.css";

interface Props {
  read: FetchedItem;
  /** Adds a "Save and approve" button. */
  reviewing?: boolean;
  onSaved: (item: Item, approved: boolean) => void;
  cancel: () => void;
}

/** The Markdown content, with a preview. */
function ContentField({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  const [view, setView] = useState("write");
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text component="label" htmlFor="item-content" size="sm" fw={600}>
          Content
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Write or preview"
          value={view}
          onChange={setView}
          data={[
            { value: "write", label: "Write" },
            { value: "preview", label: "Preview" },
          ]}
        />
      </Group>
      {view === "write" ? (
        <Textarea
          id="item-content"
          autosize
          minRows={6}
          maxRows={24}
          maxLength={200_000}
          value={draft.content}
          classNames={{ input: classes.mono }}
          onChange={(event) => set({ content: event.currentTarget.value })}
        />
      ) : (
        <Paper withBorder p="md" mih="9rem">
          <Markdown text={draft.content} />
        </Paper>
      )}
    </div>
  );
}

function Fields({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
  return (
    <>
      <TextInput
        label="Title"
        required
        data-autofocus
        autoFocus
        maxLength={200}
        value={draft.title}
        onChange={(event) => set({ title: event.currentTarget.value })}
      />
      <ContentField draft={draft} set={set} />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Select
          label="Type"
          data={ITEM_TYPES}
          value={draft.type}
          allowDeselect={false}
          onChange={(chosen) => chosen && set({ type: chosen as ItemType })}
        />
        <Select
          label="Brain layer"
          data={BRAIN_LAYERS}
          value={String(draft.tier)}
          allowDeselect={false}
          onChange={(chosen) => chosen && set({ tier: Number(chosen) })}
        />
      </SimpleGrid>
      <TextInput
        label="Schema key"
        description={SCHEMA_KEY_HELP}
        maxLength={500}
        value={draft.schemaKey}
        error={(!isKey(draft.schemaKey) || draft.schemaKey === "") && "Use a key like root/checkout/payments"}
        onChange={(event) => set({ schemaKey: event.currentTarget.value })}
      />
      <TagsInput
        label="Tags"
        value={draft.tags}
        maxTags={20}
        onChange={(tags) => set({ tags: tags.map((tag) => tag.slice(0, 50)) })}
      />
      <TagsInput
        label="Files"
        value={draft.files}
        maxTags={50}
        onChange={(files) => set({ files: files.map((file) => file.slice(0, 500)) })}
      />
    </>
  );
}

export function Editor({ read, reviewing, onSaved, cancel }: Props) {
  const cache = useQueryClient();
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(() => toDraft(read.item));
  const [theirs, setTheirs] = useState<FetchedItem | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const ready = draft.title.trim() !== "" && draft.schemaKey !== "" && isKey(draft.schemaKey);
  const save = async (against: FetchedItem, approve: boolean) => {
    if (!ready) return;
    const { id } = against.item;
    const change = changedFields(against.item, { ...draft, schemaKey: cleanKey(draft.schemaKey) });
    const body = approve ? { ...change, status: "approved" as const } : change;
    if (Object.keys(body).length === 0) return cancel();
    setBusy(true);
    try {
      const response = await request("patch", "/api/v2/items/{id}", {
        path: { id },
        body,
        ifMatch: against.etag,
      });
      cacheItem(cache, { item: response.data, etag: response.etag ?? "" });
      updateCached(cache, new Map([[id, response.data]]));
      onSaved(response.data, approve);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 412) return showError(error as Error);
      try {
        const now = await fetchItem(id);
        // The ETag is newer but the version is the same, so there is no conflicting edit.
        if (now.item.version === against.item.version) return await save(now, approve);
        setTheirs(now);
      } catch (error) {
        showError(error as Error);
      }
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(base, false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) cancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save(base, reviewing === true);
    }
  };
  if (theirs)
    return (
      <EditConflict
        noun="memory"
        mine={toText(draft)}
        theirs={toText(toDraft(theirs.item))}
        onKeepMine={() => {
          setBase(theirs);
          setTheirs(null);
          void save(theirs, false);
        }}
        onTakeTheirs={() => {
          cacheItem(cache, theirs);
          updateCached(cache, new Map([[theirs.item.id, theirs.item]]));
          cancel();
        }}
        onKeepEditing={() => {
          setBase(theirs);
          setTheirs(null);
        }}
      />
    );
  return (
    <form onSubmit={submit} onKeyDown={onKeyDown} aria-label="Edit memory">
      <Stack gap="sm">
        <Fields draft={draft} set={set} />
        <Group gap="xs">
          {reviewing && (
            <Button loading={busy} disabled={!ready} onClick={() => void save(base, true)}>
              Save and approve
            </Button>
          )}
          <Button type="submit" variant={reviewing ? "default" : "filled"} loading={busy} disabled={!ready}>
            Save
          </Button>
          <Button variant="subtle" onClick={cancel}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Kbd>Ctrl Enter</Kbd> {reviewing ? "save and approve" : "save"} · <Kbd>Esc</Kbd> cancel
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** Loads the current version of an item and opens it in the editor. */
export function EditorById({ id, ...rest }: Omit<Props, "read"> & { id: string }) {
  const read = useItem(id);
  return <Loaded query={read}>{(now) => <Editor key={id} read={now} {...rest} />}</Loaded>;
}
