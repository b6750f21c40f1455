import { Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import { useRelated } from "~/api/items";
import type { Item, Revision } from "~/api/types";
import { RelativeTime } from "~/parts/format";
import classes from "./review.module.css";

/** When the item was flagged as stale: the oldest of the latest revisions that all have the flag. */
function flaggedAt(revisions: Revision[]): string | null {
  let at: string | null = null;
  for (const revision of revisions) {
    if (!(revision.snapshot as { flags?: string[] }).flags?.includes("stale")) break;
    at = revision.createdAt;
  }
  return at;
}

/** Explains why a memory is stale. */
export function FileChanges({ item }: { item: Item }) {
  const history = useGet("/api/v2/items/{id}/revisions", { path: { id: item.id }, query: { limit: 10 } });
  const related = useRelated(item.id);
  const since = history.data ? flaggedAt(history.data) : null;
  const newer = (related.data?.sameFiles ?? []).filter((other) => other.createdAt > item.createdAt);
  return (
    <section className={classes.fileChanges} aria-label="Changed files">
      <Title order={3} size="h5">
        Changed files
      </Title>
      <Text size="sm">
        {item.files.length === 1 ? "This file has" : "At least one of these files has"} changed or been
        deleted since this memory was created
        {since && (
          <>
            {" "}
            (detected <RelativeTime at={since} />)
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
          <Text size="sm">Newer items about the same files:</Text>
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
