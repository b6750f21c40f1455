import { Text } from "@mantine/core";
import { useQueries } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { readItem } from "~/api/items";
import type { Item } from "~/api/types";
import { Copy } from "~/parts/Copy";
import { Confidence, StatusTag, Tag, TypeTag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import classes from "./item.module.css";

export const TIERS: Record<number, string> = {
  1: "first to enter the brain",
  2: "enters the brain second",
  3: "enters the brain if there is room",
};

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={classes.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Other items by their titles; one that has gone by its id. */
function Others({ ids, projectId }: { ids: string[]; projectId: string }) {
  const shown = ids.slice(0, 10);
  const found = useQueries({
    queries: shown.map((id) => ({
      queryKey: ["/api/v2/items/{id}", { id }, {}, "read"],
      queryFn: ({ signal }: { signal: AbortSignal }) => readItem(id, signal),
      retry: false,
    })),
  });
  return (
    <ul className={classes.plainList}>
      {shown.map((id, place) => (
        <li key={id}>
          {found[place]?.isError ? (
            <Text size="sm" c="dimmed">
              deleted since
            </Text>
          ) : (
            <Link href={`/p/${projectId}/memory/${id}`} className={classes.link}>
              {found[place]?.data?.item.title ?? "…"}
            </Link>
          )}
        </li>
      ))}
      {ids.length > shown.length && <li>and {ids.length - shown.length} more</li>}
    </ul>
  );
}

export function Facts({ item }: { item: Item }) {
  const memory = `/p/${item.projectId}/memory`;
  return (
    <dl className={classes.facts}>
      <Fact name="Status">
        <StatusTag status={item.status} /> <Confidence value={item.confidence} />
      </Fact>
      <Fact name="Type">
        <TypeTag type={item.type} />
      </Fact>
      <Fact name="Tier">
        {item.tier}, {TIERS[item.tier]}
      </Fact>
      <Fact name="Schema key">
        <Link href={`${memory}?schemaKey=${encodeURIComponent(item.schemaKey)}`} className={classes.link}>
          {item.schemaKey}
        </Link>
      </Fact>
      {item.branch && (
        <Fact name="Branch">
          <Link href={`${memory}?branch=${encodeURIComponent(item.branch)}`} className={classes.link}>
            {item.branch}
          </Link>
        </Fact>
      )}
      {item.tags.length > 0 && (
        <Fact name="Tags">
          <span className={classes.tags}>
            {item.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </span>
        </Fact>
      )}
      {item.files.length > 0 && (
        <Fact name="Files">
          <ul className={classes.plainList}>
            {item.files.map((file) => (
              <li key={file} className={classes.file}>
                <Link
                  href={`${memory}?file=${encodeURIComponent(file)}`}
                  className={classes.link}
                  title="All that is known of this file"
                >
                  {file}
                </Link>
                <Copy text={file} label="Copy the path" />
              </li>
            ))}
          </ul>
        </Fact>
      )}
      {item.supersededBy && (
        <Fact name="Superseded by">
          <Others ids={[item.supersededBy]} projectId={item.projectId} />
        </Fact>
      )}
      {item.mergedFrom.length > 0 && (
        <Fact name="Merged from">
          <Others ids={item.mergedFrom} projectId={item.projectId} />
        </Fact>
      )}
      {item.sourceRef && (
        <Fact name="Source">
          {item.sourceRef.startsWith("ses_") ? (
            <Link href={`/p/${item.projectId}/sessions/${item.sourceRef}`} className={classes.link}>
              The session it comes from
            </Link>
          ) : (
            <span className={classes.mono}>{item.sourceRef}</span>
          )}
        </Fact>
      )}
      <Fact name="Learnt">
        <Time at={item.createdAt} />
      </Fact>
      <Fact name="Changed">
        <Time at={item.updatedAt} />, version {item.version}
      </Fact>
    </dl>
  );
}
