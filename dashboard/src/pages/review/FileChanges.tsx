import { Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import { useRelated } from "~/api/items";
import type { Item, Revision } from "~/api/types";
import { RelativeTime } from "~/parts/format";
import classes from "./review.module.css";

/** The revision that flagged the item as stale: the oldest of the latest revisions that all have the flag. */
function flaggingRevision(revisions: Revision[]): Revision | null {
  let found: Revision | null = null;
  for (const revision of revisions) {
    if (!(revision.snapshot as { flags?: string[] }).flags?.includes("stale")) break;
    found = revision;
  }
  return found;
}

/** Why the item is stale, as a heading and a sentence without its end. */
function describeCause(item: Item, flagging: Revision | null): [title: string, sentence: string] {
  if (flagging?.change === "commit reverted")
    return ["Reverted commit", "A commit this memory is based on was reverted"];
  if (item.files.length === 0) return ["Outdated", "This memory was reported as outdated"];
  const files = item.files.length === 1 ? "This file has" : "At least one of these files has";
  return ["Changed files", `${files} changed or been deleted since this memory was created`];
}

/** Explains why a memory is stale. */
export function FileChanges({ item }: { item: Item }) {
  const history = useGet("/api/v2/items/{id}/revisions", { path: { id: item.id }, query: { limit: 10 } });
  const related = useRelated(item.id);
  const flagging = history.data ? flaggingRevision(history.data) : null;
  const [title, sentence] = describeCause(item, flagging);
  const newer = (related.data?.sameFiles ?? []).filter((other) => other.createdAt > item.createdAt);
  return (
    <section className={classes.fileChanges} aria-label={title}>
      <Title order={3} size="h5">
        {title}
      </Title>
      <Text size="sm">
        {sentence}
        {flagging && (
          <>
            {" "}
            (detected <RelativeTime at={flagging.createdAt} />)
          </>
        )}
        .
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
