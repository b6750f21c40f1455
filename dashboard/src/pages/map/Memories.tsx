import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { tell, type ApiError } from "~/api/client";
import { keyOf } from "~/api/hooks";
import type { Item } from "~/api/types";
import { Loaded } from "~/parts/Page";
import { FlagTags, StatusTag, TypeTag } from "~/parts/Tag";
import { count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import type { Place } from "./places";
import classes from "./detail.module.css";

const LIST = "/api/v2/items";
const SHOWN = 30;

/** Items at its key and below it: the first of them, and the way to all. */
export function Memories({ place }: { place: Place }) {
  const projectId = useProject().id;
  const query = { projectId, schemaKey: place.schemaKey, limit: SHOWN, count: true };
  const found = useQuery<{ items: Item[]; total: number }, ApiError>({
    queryKey: [...keyOf(LIST, { query }), "of place"],
    queryFn: async ({ signal }) => {
      const { data, total } = await tell("get", LIST, { query, signal });
      return { items: data, total: total ?? data.length };
    },
  });
  const all = `/p/${projectId}/memory?schemaKey=${encodeURIComponent(place.schemaKey)}`;
  return (
    <Loaded of={found}>
      {({ items, total }) =>
        items.length === 0 ? (
          <Text c="dimmed" size="sm">
            No memory has this schema key or one below it. What sessions teach about it will stand here.
          </Text>
        ) : (
          <>
            <ul className={classes.items} aria-label={`Memories at ${place.schemaKey}`}>
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
                {total > items.length ? `All ${count(total)} in the memory` : "Show them in the memory"}
              </Link>
            </Text>
          </>
        )
      }
    </Loaded>
  );
}
