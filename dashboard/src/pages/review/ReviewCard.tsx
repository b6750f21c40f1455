import { Alert, Center, Group, Loader, Paper, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { useRelated } from "~/api/items";
import type { Item } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import { FlagList } from "../item/FlagList";
import { EditorById } from "../item/Editor";
import { Evidence } from "../item/Evidence";
import { ConflictView } from "../item/ConflictView";
import { FileChanges } from "./FileChanges";
import type { Tab } from "./queue";
import classes from "./review.module.css";

interface Props {
  item: Item;
  tab: Tab;
  /** An undo is still being saved. */
  restoring: boolean;
  editing: boolean;
  onSaved: (item: Item, approved: boolean) => void;
  cancel: () => void;
}

function ItemHeader({ item }: { item: Item }) {
  return (
    <>
      <Title order={2} className={classes.title}>
        <Link href={`/p/${item.projectId}/memory/${item.id}`}>{item.title}</Link>
      </Title>
      <Group gap={6} mt={6} mb="md">
        <StatusTag status={item.status} />
        <TypeTag type={item.type} />
        <Confidence value={item.confidence} />
        <Text size="xs" c="dimmed" className={classes.key}>
          {item.schemaKey}
        </Text>
        <Text size="xs" c="dimmed">
          created <RelativeTime at={item.createdAt} />
        </Text>
      </Group>
    </>
  );
}

function Conflict({ item, tab }: { item: Item; tab: Tab }) {
  const related = useRelated(item.id);
  return (
    <Loaded query={related}>
      {({ conflicts }) => {
        const first = conflicts[0];
        if (!first)
          return (
            <>
              <Alert variant="outline" mb="md" title="The conflicting memory is gone">
                It was changed or deleted. If this memory is still valid, approve it to resolve the conflict.
              </Alert>
              <SingleItem item={item} tab={tab} />
            </>
          );
        return (
          <>
            {conflicts.length > 1 && (
              <Text size="sm" mb="xs">
                {conflicts.length} memories contradict this one; the closest is shown. Keeping this one
                deprecates all of them.
              </Text>
            )}
            <ConflictView
              item={item}
              other={first.item}
              reason={first.reason}
              renderBelow={(side) => (
                <div className={classes.below}>
                  <Text size="xs" c="dimmed" fw={600} mb={6}>
                    Evidence
                  </Text>
                  <Evidence id={side.id} projectId={side.projectId} />
                </div>
              )}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function SingleItem({ item, tab }: { item: Item; tab: Tab }) {
  return (
    <div className={classes.columns}>
      <Paper withBorder p="lg" component="article" aria-label="Memory">
        <ItemHeader item={item} />
        <Markdown text={item.content} />
        {item.files.length > 0 && tab !== "stale" && (
          <ul className={classes.files} aria-label="Files">
            {item.files.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        )}
        <div className={classes.flags}>
          <FlagList flags={item.flags} />
        </div>
        {tab === "stale" && <FileChanges item={item} />}
      </Paper>
      <section aria-labelledby="evidence">
        <Title order={2} size="h4" id="evidence" mb="xs">
          Evidence
        </Title>
        <Evidence id={item.id} projectId={item.projectId} />
      </section>
    </div>
  );
}

/** One memory with everything needed to review it. */
export function ReviewCard({ item, tab, restoring, editing, onSaved, cancel }: Props) {
  if (editing)
    return (
      <div className={classes.columns}>
        <Paper withBorder p="lg">
          <EditorById id={item.id} reviewing onSaved={onSaved} cancel={cancel} />
        </Paper>
        <section aria-label="Evidence">
          <Evidence id={item.id} projectId={item.projectId} />
        </section>
      </div>
    );
  if (!item.flags.includes("conflict")) return <SingleItem item={item} tab={tab} />;
  if (!restoring) return <Conflict item={item} tab={tab} />;
  return (
    <Center py="xl">
      <Loader size="sm" role="status" aria-label="Loading" />
    </Center>
  );
}
