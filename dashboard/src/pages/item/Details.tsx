import { Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import { fetchItem } from "~/api/items";
import type { Item } from "~/api/types";
import { CopyIconButton } from "~/parts/Copy";
import { BRAIN_LAYERS } from "~/parts/names";
import { Confidence, StatusTag, Tag, TypeTag } from "~/parts/Tag";
import { pluralize, RelativeTime } from "~/parts/format";
import classes from "./item.module.css";

function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.detail}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Links to other items by title. */
function ItemLinks({ ids, projectId }: { ids: string[]; projectId: string }) {
  const shown = ids.slice(0, 10);
  const found = useQueries({
    queries: shown.map((id) => ({
      queryKey: ["/api/v2/items/{id}", { id }, {}, "read"],
      queryFn: ({ signal }: { signal: AbortSignal }) => fetchItem(id, signal),
      retry: false,
    })),
  });
  return (
    <ul className={classes.plainList}>
      {shown.map((id, index) => (
        <li key={id}>
          {found[index]?.isError ? (
            <Text size="sm" c="dimmed">
              deleted
            </Text>
          ) : (
            <Link href={`/p/${projectId}/memory/${id}`} className={classes.link}>
              {found[index]?.data?.item.title ?? "…"}
            </Link>
          )}
        </li>
      ))}
      {ids.length > shown.length && <li>and {ids.length - shown.length} more</li>}
    </ul>
  );
}

const times = (count: number) => (count === 1 ? "once" : pluralize(count, "time"));

/** How often agents were given the item, used it, and had to be corrected anyway. */
function Usage({ id }: { id: string }) {
  const usage = useGet("/api/v2/items/{id}/usage", { path: { id } });
  if (!usage.data?.served) return null;
  const { served, used, corrected } = usage.data;
  const facts = [
    `In ${pluralize(served, "briefing")}`,
    used === 0 ? "never used" : `used ${times(used)}`,
    ...(corrected === 0 ? [] : [pluralize(corrected, "repeat correction")]),
  ];
  return <Detail name="Usefulness">{facts.join(", ")}</Detail>;
}

export function Details({ item }: { item: Item }) {
  const memory = `/p/${item.projectId}/memory`;
  return (
    <dl className={classes.details}>
      <Detail name="Status">
        <StatusTag status={item.status} /> <Confidence value={item.confidence} />
      </Detail>
      <Detail name="Type">
        <TypeTag type={item.type} />
      </Detail>
      <Detail name="Brain layer">
        {BRAIN_LAYERS.find(({ value }) => value === String(item.tier))?.label ?? item.tier}
      </Detail>
      <Detail name="Schema key">
        <Link href={`${memory}?schemaKey=${encodeURIComponent(item.schemaKey)}`} className={classes.link}>
          {item.schemaKey}
        </Link>
      </Detail>
      {item.branch && (
        <Detail name="Branch">
          <Link href={`${memory}?branch=${encodeURIComponent(item.branch)}`} className={classes.link}>
            {item.branch}
          </Link>
        </Detail>
      )}
      {item.tags.length > 0 && (
        <Detail name="Tags">
          <span className={classes.tags}>
            {item.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        </Detail>
      )}
      {item.files.length > 0 && (
        <Detail name="Files">
          <ul className={classes.plainList}>
            {item.files.map((file) => (
              <li key={file} className={classes.file}>
                <Link
                  href={`${memory}?file=${encodeURIComponent(file)}`}
                  className={classes.link}
                  title="All memories about this file"
                >
                  {file}
                </Link>
                <CopyIconButton text={file} label="Copy path" />
              </li>
            ))}
          </ul>
        </Detail>
      )}
      {item.supersededBy && (
        <Detail name="Superseded by">
          <ItemLinks ids={[item.supersededBy]} projectId={item.projectId} />
        </Detail>
      )}
      {item.mergedFrom.length > 0 && (
        <Detail name="Merged from">
          <ItemLinks ids={item.mergedFrom} projectId={item.projectId} />
        </Detail>
      )}
      {item.sourceRef && (
        <Detail name="Source">
          {item.sourceRef.startsWith("ses_") ? (
            <Link href={`/p/${item.projectId}/sessions/${item.sourceRef}`} className={classes.link}>
              Open session
            </Link>
          ) : (
            <span className={classes.mono}>{item.sourceRef}</span>
          )}
        </Detail>
      )}
      <Usage id={item.id} />
      <Detail name="Created">
        <RelativeTime at={item.createdAt} />
      </Detail>
      <Detail name="Updated">
        <RelativeTime at={item.updatedAt} />, version {item.version}
      </Detail>
    </dl>
  );
}
