import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { request, type ApiError } from "~/api/client";
import { queryKey } from "~/api/hooks";
import type { Item } from "~/api/types";
import { Loaded } from "~/parts/Page";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import type { MapContext } from "./contextTree";
import classes from "./detail.module.css";

const LIST = "/api/v2/items";
const MAX_SHOWN = 30;

/** The first memories at or below a context's schema key, with a link to all. */
export function ContextMemories({ context }: { context: MapContext }) {
  const projectId = useProject().id;
  const query = { projectId, schemaKey: context.schemaKey, limit: MAX_SHOWN, count: true };
  const found = useQuery<{ items: Item[]; total: number }, ApiError>({
    queryKey: [...queryKey(LIST, { query }), "of context"],
    queryFn: async ({ signal }) => {
      const { data, total } = await request("get", LIST, { query, signal });
      return { items: data, total: total ?? data.length };
    },
  });
  const all = `/p/${projectId}/memory?schemaKey=${encodeURIComponent(context.schemaKey)}`;
  return (
    <Loaded query={found}>
      {({ items, total }) =>
        items.length === 0 ? (
          <Text c="dimmed" size="sm">
            No memories at or below this schema key yet. Memories from sessions appear here.
          </Text>
        ) : (
          <>
            <ul className={classes.items} aria-label={`Memories under ${context.schemaKey}`}>
              {items.map((item) => (
                <li key={item.id} className={classes.item}>
                  <Link href={`/p/${projectId}/memory/${item.id}`} className={classes.itemTitle}>
                    {item.title}
                  </Link>
                  <span className={classes.itemTags}>
                    <FlagTags flags={item.flags} />
                    <TypeTag type={item.type} />
                    <StatusTag status={item.status} />
                  </span>
                </li>
              ))}
            </ul>
            <Text size="sm" mt="sm">
              <Link href={all}>
                {total > items.length ? `Show all ${formatNumber(total)} in Memory` : "Show in Memory"}
              </Link>
            </Text>
          </>
        )
      }
    </Loaded>
  );
}
