import { Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import { useRelated } from "~/api/items";
import type { Item, Revision } from "~/api/types";
import { Time } from "~/parts/Time";
import classes from "./review.module.css";

/** When the flag came: with the first of the newest versions that all carry it. */
function flaggedAt(revisions: Revision[]): string | null {
  let at: string | null = null;
  for (const revision of revisions) {
    if (!(revision.snapshot as { flags?: string[] }).flags?.includes("stale")) break;
    at = revision.createdAt;
  }
  return at;
}

/** What has changed since an item was learnt. */
export function Changed({ item }: { item: Item }) {
  const history = useGet("/api/v2/items/{id}/revisions", { path: { id: item.id }, query: { limit: 10 } });
  const related = useRelated(item.id);
  const since = history.data ? flaggedAt(history.data) : null;
  const newer = (related.data?.sameFiles ?? []).filter((other) => other.createdAt > item.createdAt);
  return (
    <section className={classes.changed} aria-label="What changed">
      <Title order={3} size="h5">
        What changed
      </Title>
      <Text size="sm">
        {item.files.length === 1 ? "This file is" : "At least one of these files is"} not what it was when
        this was learnt
        {since && (
          <>
            ; noticed <Time at={since} />
          </>
        )}
        :
      </Text>
      <ul className={classes.files}>
        {item.files.map((file) => (
          <li key={file}>{file}</li>
        ))}
      </ul>
      {newer.length > 0 && (
        <>
          <Text size="sm">Learnt of the same files since then:</Text>
          <ul className={classes.newer}>
            {newer.map((other) => (
              <li key={other.id}>
                <Link href={`/p/${other.projectId}/memory/${other.id}`}>{other.title}</Link>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
