import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { useRelated, type Related as Around } from "~/api/items";
import type { Item } from "~/api/types";
import { Loaded } from "~/parts/Page";
import { FlagTags, StatusTag, Tag, TypeTag } from "~/parts/Tag";
import { showUndo } from "~/parts/toast";
import { judge, type Verdict } from "./judging";
import { Versus } from "./Versus";
import classes from "./item.module.css";

function Line({ item, similarity }: { item: Item; similarity?: number }) {
  return (
    <li className={classes.relatedLine}>
      <Link href={`/p/${item.projectId}/memory/${item.id}`} className={classes.relatedTitle}>
        {item.title}
      </Link>
      <span className={classes.tags}>
        {similarity !== undefined && (
          <Tag title="How near it is in meaning">{Math.round(similarity * 100)}% similar</Tag>
        )}
        <FlagTags flags={item.flags} />
        <TypeTag type={item.type} />
        {item.status !== "approved" && <StatusTag status={item.status} />}
      </span>
    </li>
  );
}

function Lines({ title, items }: { title: string; items: { item: Item; similarity?: number }[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      <ul className={classes.relatedList}>
        {items.map(({ item, similarity }) => (
          <Line key={item.id} item={item} similarity={similarity} />
        ))}
      </ul>
    </section>
  );
}

/** Who stays and who goes, in the order in which it is said. */
export const KEEP = {
  this: (item: Item, other: Item): Verdict[] => [
    { item, status: "approved" },
    { item: other, status: "deprecated" },
  ],
  that: (item: Item, other: Item): Verdict[] => [
    { item: other, status: "approved" },
    { item, status: "deprecated" },
  ],
  both: (item: Item, other: Item): Verdict[] => [
    { item, status: "approved" },
    { item: other, status: "approved" },
  ],
};

function Conflicts({ item, around, mayWrite }: { item: Item; around: Around; mayWrite: boolean }) {
  const cache = useQueryClient();
  const settle = (verdicts: Verdict[]) => {
    const { undo } = judge(cache, verdicts, true);
    showUndo("The conflict is settled", () => void undo());
  };
  return around.conflicts.map(({ item: other, why }) => (
    <Stack key={other.id} gap="xs">
      <Versus item={item} other={other} why={why} />
      {mayWrite && (
        <Group gap="xs">
          <Button size="xs" onClick={() => settle(KEEP.this(item, other))}>
            Keep this one
          </Button>
          <Button size="xs" variant="default" onClick={() => settle(KEEP.that(item, other))}>
            Keep the other
          </Button>
          <Button size="xs" variant="default" onClick={() => settle(KEEP.both(item, other))}>
            Keep both
          </Button>
        </Group>
      )}
    </Stack>
  ));
}

/** What else is known around an item. */
export function Related({ item, mayWrite }: { item: Item; mayWrite: boolean }) {
  const related = useRelated(item.id);
  return (
    <Loaded of={related}>
      {(around) => {
        const sessions = around.sameSession.filter(
          (other) => !around.sameFiles.some((known) => known.id === other.id),
        );
        const empty =
          around.conflicts.length + around.near.length + around.sameFiles.length + sessions.length === 0;
        return (
          <Stack gap="lg">
            {empty && (
              <Text c="dimmed" size="sm">
                Nothing else is known around it: no conflict, nothing near in meaning, no file or session
                shared.
              </Text>
            )}
            {around.conflicts.length > 0 && (
              <section aria-label="Conflicts">
                <Title order={3} size="h5" mb={4}>
                  Conflicts
                </Title>
                <Conflicts item={item} around={around} mayWrite={mayWrite} />
              </section>
            )}
            <Lines title="Near in meaning" items={around.near} />
            <Lines title="About the same files" items={around.sameFiles.map((other) => ({ item: other }))} />
            <Lines title="From the same session" items={sessions.map((other) => ({ item: other }))} />
          </Stack>
        );
      }}
    </Loaded>
  );
}
