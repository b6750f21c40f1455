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
import { useFates, useItem, type Read } from "~/api/items";
import type { Item as Memory } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { useKeys } from "~/parts/keys";
import { Empty, Loaded, Page } from "~/parts/Page";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { useMayWrite, useProject } from "~/shell/project";
import { Doubts } from "./Doubts";
import { Editor } from "./Editor";
import { Evidence } from "./Evidence";
import { Facts } from "./Facts";
import { useJudging } from "./judging";
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
          {item.status === "approved" ? "It still holds" : "Approve"}
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

function Shown({ read }: { read: Read }) {
  const project = useProject();
  const mayWrite = useMayWrite();
  const judging = useJudging();
  const fate = useFates().get(read.item.id);
  const item = fate ?? read.item;
  const [editing, setEditing] = useState(false);
  const [, go] = useLocation();
  const list = `/p/${project.id}/memory`;
  const approve = () => judging.judge([read.item], "approved");
  const deprecate = () => judging.judge([read.item], "deprecated");
  const remove = () => {
    judging.remove([read.item]);
    go(list);
  };
  useKeys({ a: approve, d: deprecate, e: () => setEditing(true), Delete: remove }, mayWrite && !editing);
  return (
    <Page
      wide
      title={item.title}
      about={
        <Anchor component={Link} href={list} size="sm">
          <Group component="span" gap={4} display="inline-flex">
            <IconArrowLeft size={14} /> All memories of {project.name}
          </Group>
        </Anchor>
      }
      actions={
        mayWrite &&
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
          <div className={classes.top}>
            <StatusTag status={item.status} />
            <TypeTag type={item.type} />
            <Confidence value={item.confidence} />
          </div>
          <Doubts flags={item.flags} />
          <Paper withBorder p="lg" component="section" aria-label="Content">
            {editing ? (
              <Editor read={read} saved={() => setEditing(false)} cancel={() => setEditing(false)} />
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
              <Related item={item} mayWrite={mayWrite} />
            </Paper>
          </section>
          <section aria-labelledby="revisions">
            <Title order={2} id="revisions" mb="xs">
              Versions
            </Title>
            <Paper withBorder p="md">
              <Revisions item={item} mayWrite={mayWrite} />
            </Paper>
          </section>
        </Stack>
        <Paper withBorder p="md" component="aside" aria-label="Facts" className={classes.aside}>
          <Facts item={item} />
          {!mayWrite && (
            <Text size="xs" c="dimmed" mt="md">
              {project.status === "active"
                ? "You may read this project. Ask whoever manages it for the right to write."
                : "The project is archived: nothing can be changed."}
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
  const fate = useFates().get(itemId);
  const gone = read.error?.status === 404 || fate === null;
  if (gone || (read.data && read.data.item.projectId !== project.id))
    return (
      <Page title="Memory">
        <Empty
          icon={<IconFileOff size={40} />}
          title="There is no such memory"
          action={
            <Button component={Link} href={`/p/${project.id}/memory`} variant="default">
              All memories
            </Button>
          }
        >
          It was deleted, or the address is wrong.
        </Empty>
      </Page>
    );
  return <Loaded of={read}>{(now) => <Shown key={now.item.id} read={now} />}</Loaded>;
}
