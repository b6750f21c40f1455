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
import { ApiError, tell } from "~/api/client";
import { changeCached, keepRead, readItem, useItem, type Read } from "~/api/items";
import type { Item, ItemType } from "~/api/types";
import { Clash } from "~/parts/Clash";
import { Key } from "~/parts/keys";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { TYPES } from "~/parts/Tag";
import { showProblem } from "~/parts/toast";
import { cleanKey, isKey } from "../memory/filters";
import { asText, changeOf, draftOf, type Draft } from "./editing";
import classes from "./item.module.css";

interface Props {
  read: Read;
  /** Whether saving can also approve it. */
  judging?: boolean;
  saved: (item: Item, approved: boolean) => void;
  cancel: () => void;
}

/** Its text, written or as it will look. */
function Content({ draft, set }: { draft: Draft; set: (change: Partial<Draft>) => void }) {
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
      <Content draft={draft} set={set} />
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
        <Select
          label="Type"
          data={TYPES}
          value={draft.type}
          allowDeselect={false}
          onChange={(chosen) => chosen && set({ type: chosen as ItemType })}
        />
        <TextInput
          label="Schema key"
          maxLength={500}
          value={draft.schemaKey}
          error={(!isKey(draft.schemaKey) || draft.schemaKey === "") && "Such as root/checkout/payments"}
          onChange={(event) => set({ schemaKey: event.currentTarget.value })}
        />
        <Select
          label="Tier"
          data={[
            { value: "1", label: "1, comes first" },
            { value: "2", label: "2, comes second" },
            { value: "3", label: "3, if there is room" },
          ]}
          value={String(draft.tier)}
          allowDeselect={false}
          onChange={(chosen) => chosen && set({ tier: Number(chosen) })}
        />
      </SimpleGrid>
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

export function Editor({ read, judging, saved, cancel }: Props) {
  const cache = useQueryClient();
  const [base, setBase] = useState(read);
  const [draft, setDraft] = useState(() => draftOf(read.item));
  const [theirs, setTheirs] = useState<Read | null>(null);
  const [busy, setBusy] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));
  const ready = draft.title.trim() !== "" && draft.schemaKey !== "" && isKey(draft.schemaKey);
  const save = async (against: Read, approve: boolean) => {
    if (!ready) return;
    const { id } = against.item;
    const change = changeOf(against.item, { ...draft, schemaKey: cleanKey(draft.schemaKey) });
    const body = approve ? { ...change, status: "approved" as const } : change;
    if (Object.keys(body).length === 0) return cancel();
    setBusy(true);
    try {
      const told = await tell("patch", "/api/v2/items/{id}", { path: { id }, body, ifMatch: against.etag });
      keepRead(cache, { item: told.data, etag: told.etag ?? "" });
      changeCached(cache, new Map([[id, told.data]]));
      saved(told.data, approve);
    } catch (problem) {
      if (!(problem instanceof ApiError) || problem.status !== 412) return showProblem(problem as Error);
      try {
        const now = await readItem(id);
        // The same state under a newer mark is nobody else's change.
        if (now.item.version === against.item.version) return await save(now, approve);
        setTheirs(now);
      } catch (gone) {
        showProblem(gone as Error);
      }
    } finally {
      setBusy(false);
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void save(base, false);
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === "Escape" && !event.defaultPrevented) cancel();
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void save(base, judging === true);
    }
  };
  if (theirs)
    return (
      <Clash
        of="memory"
        mine={asText(draft)}
        theirs={asText(draftOf(theirs.item))}
        keepMine={() => {
          setBase(theirs);
          setTheirs(null);
          void save(theirs, false);
        }}
        takeTheirs={() => {
          keepRead(cache, theirs);
          changeCached(cache, new Map([[theirs.item.id, theirs.item]]));
          cancel();
        }}
        goOn={() => {
          setBase(theirs);
          setTheirs(null);
        }}
      />
    );
  return (
    <form onSubmit={submit} onKeyDown={press} aria-label="Edit the memory">
      <Stack gap="sm">
        <Fields draft={draft} set={set} />
        <Group gap="xs">
          {judging && (
            <Button loading={busy} disabled={!ready} onClick={() => void save(base, true)}>
              Save and approve
            </Button>
          )}
          <Button type="submit" variant={judging ? "default" : "filled"} loading={busy} disabled={!ready}>
            Save
          </Button>
          <Button variant="subtle" onClick={cancel}>
            Cancel
          </Button>
          <Text size="xs" c="dimmed" visibleFrom="sm">
            <Key>Ctrl Enter</Key> {judging ? "save and approve" : "save"} · <Key>Esc</Key> cancel
          </Text>
        </Group>
      </Stack>
    </form>
  );
}

/** The same for an item that was only seen in a list: it is read first, as it is now. */
export function EditById({ id, ...rest }: Omit<Props, "read"> & { id: string }) {
  const read = useItem(id);
  return <Loaded of={read}>{(now) => <Editor key={id} read={now} {...rest} />}</Loaded>;
}
