import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { useRelated, type Related as RelatedItems } from "~/api/items";
import type { Item } from "~/api/types";
import { Loaded } from "~/parts/Page";
import { FlagTags, StatusTag, Tag, TypeTag } from "~/parts/Tag";
import { showUndo } from "~/parts/toast";
import { applyStatusChanges, type StatusChange } from "./statusChanges";
import { ConflictView } from "./ConflictView";
import classes from "./item.module.css";

function RelatedRow({ item, similarity }: { item: Item; similarity?: number }) {
  return (
    <li className={classes.relatedRow}>
      <Link href={`/p/${item.projectId}/memory/${item.id}`} className={classes.relatedTitle}>
        {item.title}
      </Link>
      <span className={classes.tags}>
        {similarity !== undefined && (
          <Tag title="Semantic similarity">{Math.round(similarity * 100)}% similar</Tag>
        )}
        <FlagTags flags={item.flags} />
        <TypeTag type={item.type} />
        {item.status !== "approved" && <StatusTag status={item.status} />}
      </span>
    </li>
  );
}

function RelatedList({ title, items }: { title: string; items: { item: Item; similarity?: number }[] }) {
  if (items.length === 0) return null;
  return (
    <section aria-label={title}>
      <Title order={3} size="h5" mb={4}>
        {title}
      </Title>
      <ul className={classes.relatedList}>
        {items.map(({ item, similarity }) => (
          <RelatedRow key={item.id} item={item} similarity={similarity} />
        ))}
      </ul>
    </section>
  );
}

/** Status changes for each way to resolve a conflict, in the order they are sent. */
export const RESOLUTIONS = {
  keepThis: (item: Item, other: Item): StatusChange[] => [
    { item, status: "approved" },
    { item: other, status: "deprecated" },
  ],
  keepOther: (item: Item, other: Item): StatusChange[] => [
    { item: other, status: "approved" },
    { item, status: "deprecated" },
  ],
  keepBoth: (item: Item, other: Item): StatusChange[] => [
    { item, status: "approved" },
    { item: other, status: "approved" },
  ],
};

function Conflicts({ item, related, canWrite }: { item: Item; related: RelatedItems; canWrite: boolean }) {
  const cache = useQueryClient();
  const resolve = (changes: StatusChange[]) => {
    const { undo } = applyStatusChanges(cache, changes, true);
    showUndo("Conflict resolved.", () => void undo());
  };
  return related.conflicts.map(({ item: other, reason }) => (
    <Stack key={other.id} gap="xs">
      <ConflictView item={item} other={other} reason={reason} />
      {canWrite && (
        <Group gap="xs">
          <Button size="xs" onClick={() => resolve(RESOLUTIONS.keepThis(item, other))}>
            Keep this
          </Button>
          <Button size="xs" variant="default" onClick={() => resolve(RESOLUTIONS.keepOther(item, other))}>
            Keep other
          </Button>
          <Button size="xs" variant="default" onClick={() => resolve(RESOLUTIONS.keepBoth(item, other))}>
            Keep both
          </Button>
        </Group>
      )}
    </Stack>
  ));
}

/** Conflicting and similar items, and items from the same files or session. */
export function Related({ item, canWrite }: { item: Item; canWrite: boolean }) {
  const query = useRelated(item.id);
  return (
    <Loaded query={query}>
      {(related) => {
        const sameSession = related.sameSession.filter(
          (other) => !related.sameFiles.some((known) => known.id === other.id),
        );
        const empty =
          related.conflicts.length +
            related.similar.length +
            related.sameFiles.length +
            sameSession.length ===
          0;
        return (
          <Stack gap="lg">
            {empty && (
              <Text c="dimmed" size="sm">
                No related memories: no conflicts, and none with similar content, the same files or the same
                session.
              </Text>
            )}
            {related.conflicts.length > 0 && (
              <section aria-label="Conflicts">
                <Title order={3} size="h5" mb={4}>
                  Conflicts
                </Title>
                <Conflicts item={item} related={related} canWrite={canWrite} />
              </section>
            )}
            <RelatedList title="Similar" items={related.similar} />
            <RelatedList title="Same files" items={related.sameFiles.map((other) => ({ item: other }))} />
            <RelatedList title="Same session" items={sameSession.map((other) => ({ item: other }))} />
          </Stack>
        );
      }}
    </Loaded>
  );
}
