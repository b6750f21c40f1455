import { Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import {
  IconArchive,
  IconArrowLeft,
  IconCheck,
  IconFileOff,
  IconPencil,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { usePendingChanges, useItem, type FetchedItem } from "~/api/items";
import type { Item as Memory } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { useShortcuts } from "~/parts/shortcuts";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { useCanWrite, useProject } from "~/shell/project";
import { FlagList } from "./FlagList";
import { Editor } from "./Editor";
import { Evidence } from "./Evidence";
import { Details } from "./Details";
import { useItemActions } from "./statusChanges";
import { Related } from "./Related";
import { Revisions } from "./Revisions";
import classes from "./item.module.css";

interface ActionProps {
  item: Memory;
  edit: () => void;
  approve: () => void;
  deprecate: () => void;
  remove: () => void;
}

function Actions({ item, edit, approve, deprecate, remove }: ActionProps) {
  const settled = item.status === "approved" && item.flags.every((flag) => flag === "redacted");
  return (
    <>
      {!settled && (
        <Button leftSection={<IconCheck size={16} />} onClick={approve}>
          {item.status === "approved" ? "Mark as valid" : "Approve"}
        </Button>
      )}
      <Button variant="default" leftSection={<IconPencil size={16} />} onClick={edit}>
        Edit
      </Button>
      {item.status !== "deprecated" && (
        <Button variant="default" leftSection={<IconArchive size={16} />} onClick={deprecate}>
          Deprecate
        </Button>
      )}
      <Button variant="default" leftSection={<IconTrash size={16} />} onClick={remove}>
        Delete
      </Button>
    </>
  );
}

function ItemPage({ read }: { read: FetchedItem }) {
  const project = useProject();
  const canWrite = useCanWrite();
  const itemActions = useItemActions();
  const pending = usePendingChanges().get(read.item.id);
  const item = pending ?? read.item;
  const [editing, setEditing] = useState(false);
  const [, navigate] = useLocation();
  const list = `/p/${project.id}/memory`;
  const approve = () => itemActions.setStatus([read.item], "approved");
  const deprecate = () => itemActions.setStatus([read.item], "deprecated");
  const remove = () => {
    itemActions.remove([read.item]);
    navigate(list);
  };
  useShortcuts({ a: approve, d: deprecate, e: () => setEditing(true), Delete: remove }, canWrite && !editing);
  return (
    <Page
      wide
      title={item.title}
      about={
        <Anchor component={Link} href={list} size="sm">
          <Group component="span" gap={4} display="inline-flex">
            <IconArrowLeft size={14} /> All memories in {project.name}
          </Group>
        </Anchor>
      }
      actions={
        canWrite &&
        !editing && (
          <Actions
            item={item}
            edit={() => setEditing(true)}
            approve={approve}
            deprecate={deprecate}
            remove={remove}
          />
        )
      }
    >
      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          <div className={classes.badges}>
            <StatusTag status={item.status} />
            <TypeTag type={item.type} />
            <Confidence value={item.confidence} />
          </div>
          <FlagList flags={item.flags} />
          <Paper withBorder p="lg" component="section" aria-label="Content">
            {editing ? (
              <Editor read={read} onSaved={() => setEditing(false)} cancel={() => setEditing(false)} />
            ) : (
              <Markdown text={item.content} />
            )}
          </Paper>
          <section aria-labelledby="evidence">
            <Title order={2} id="evidence" mb="xs">
              Evidence
            </Title>
            <Evidence id={item.id} projectId={project.id} />
          </section>
          <section aria-labelledby="related">
            <Title order={2} id="related" mb="xs">
              Related
            </Title>
            <Paper withBorder p="md">
              <Related item={item} canWrite={canWrite} />
            </Paper>
          </section>
          <section aria-labelledby="revisions">
            <Title order={2} id="revisions" mb="xs">
              Versions
            </Title>
            <Paper withBorder p="md">
              <Revisions item={item} canWrite={canWrite} />
            </Paper>
          </section>
        </Stack>
        <Paper withBorder p="md" component="aside" aria-label="Details" className={classes.sidebar}>
          <Details item={item} />
          {!canWrite && (
            <Text size="xs" c="dimmed" mt="md">
              {project.status === "active"
                ? "You have read-only access. Ask a project admin for write access."
                : "This project is archived and read-only."}
            </Text>
          )}
        </Paper>
      </div>
    </Page>
  );
}

export default function Item() {
  const { itemId } = useParams<{ itemId: string }>();
  const project = useProject();
  const read = useItem(itemId);
  const pending = usePendingChanges().get(itemId);
  const missing = read.error?.status === 404 || pending === null;
  if (missing || (read.data && read.data.item.projectId !== project.id))
    return (
      <Page title="Memory">
        <EmptyState
          icon={<IconFileOff size={40} />}
          title="Memory not found"
          action={
            <Button component={Link} href={`/p/${project.id}/memory`} variant="default">
              All memories
            </Button>
          }
        >
          It was deleted, or the link is wrong.
        </EmptyState>
      </Page>
    );
  return <Loaded query={read}>{(now) => <ItemPage key={now.item.id} read={now} />}</Loaded>;
}
