import { Alert, Center, Group, Loader, Paper, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { useRelated } from "~/api/items";
import type { Item } from "~/api/types";
import { Markdown } from "~/parts/Markdown";
import { Loaded } from "~/parts/Page";
import { Confidence, StatusTag, TypeTag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import { Doubts } from "../item/Doubts";
import { EditById } from "../item/Editor";
import { Evidence } from "../item/Evidence";
import { Versus } from "../item/Versus";
import { Changed } from "./Changed";
import type { Tab } from "./queue";
import classes from "./review.module.css";

interface Props {
  item: Item;
  tab: Tab;
  /** It is on its way back from a judgement. */
  returning: boolean;
  editing: boolean;
  saved: (item: Item, approved: boolean) => void;
  cancel: () => void;
}

function Head({ item }: { item: Item }) {
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
          learnt <Time at={item.createdAt} />
        </Text>
      </Group>
    </>
  );
}

function Conflict({ item, tab }: { item: Item; tab: Tab }) {
  const related = useRelated(item.id);
  return (
    <Loaded of={related}>
      {({ conflicts }) => {
        const first = conflicts[0];
        if (!first)
          return (
            <>
              <Alert variant="outline" mb="md" title="The other one is not there any more">
                It was changed or deleted since. Approve this one if it holds; that settles the conflict.
              </Alert>
              <Alone item={item} tab={tab} />
            </>
          );
        return (
          <>
            {conflicts.length > 1 && (
              <Text size="sm" mb="xs">
                {conflicts.length} others contradict it; the nearest is shown. Keeping this one deprecates
                them all.
              </Text>
            )}
            <Versus
              item={item}
              other={first.item}
              why={first.why}
              below={(one) => (
                <div className={classes.below}>
                  <Text size="xs" c="dimmed" fw={600} mb={6}>
                    Evidence
                  </Text>
                  <Evidence id={one.id} projectId={one.projectId} />
                </div>
              )}
            />
          </>
        );
      }}
    </Loaded>
  );
}

function Alone({ item, tab }: { item: Item; tab: Tab }) {
  return (
    <div className={classes.sides}>
      <Paper withBorder p="lg" component="article" aria-label="The memory">
        <Head item={item} />
        <Markdown text={item.content} />
        {item.files.length > 0 && tab !== "stale" && (
          <ul className={classes.files} aria-label="Files">
            {item.files.map((file) => (
              <li key={file}>{file}</li>
            ))}
          </ul>
        )}
        <div className={classes.doubts}>
          <Doubts flags={item.flags} />
        </div>
        {tab === "stale" && <Changed item={item} />}
      </Paper>
      <section aria-labelledby="rests-on">
        <Title order={2} size="h4" id="rests-on" mb="xs">
          What it rests on
        </Title>
        <Evidence id={item.id} projectId={item.projectId} />
      </section>
    </div>
  );
}

/** One memory, large, with all that is needed to judge it. */
export function Card({ item, tab, returning, editing, saved, cancel }: Props) {
  if (editing)
    return (
      <div className={classes.sides}>
        <Paper withBorder p="lg">
          <EditById id={item.id} judging saved={saved} cancel={cancel} />
        </Paper>
        <section aria-label="What it rests on">
          <Evidence id={item.id} projectId={item.projectId} />
        </section>
      </div>
    );
  if (!item.flags.includes("conflict")) return <Alone item={item} tab={tab} />;
  if (!returning) return <Conflict item={item} tab={tab} />;
  return (
    <Center py="xl">
      <Loader size="sm" aria-label="Loading" />
    </Center>
  );
}
