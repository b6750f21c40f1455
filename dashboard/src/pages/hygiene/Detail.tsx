import { Text } from "@mantine/core";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { Item } from "~/api/types";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { StatusTag, TypeTag } from "~/parts/Tag";
import { useProject } from "~/shell/project";
import classes from "./hygiene.module.css";
import { itemsOf, type Action } from "./words";

/** Of a merge so many are shown; the others are named in its words. */
const MOST_SHOWN = 6;

function ItemLink({ item }: { item: Item }) {
  const project = useProject();
  return <Link href={`/p/${project.id}/memory/${item.id}`}>{item.title}</Link>;
}

const useItem = (id: string) => useGet("/api/v2/items/{id}", { path: { id } });
const textOf = (item: Item) => `${item.title}\n\n${item.content}`;

/** An item with a line of facts above its text, before and after. */
function Changed({ item, line }: { item: Item; line: (item: Item) => [before: string, after: string] }) {
  const [before, after] = line(item);
  return (
    <Diff
      before={`${before}\n${textOf(item)}`}
      after={`${after}\n${textOf(item)}`}
      label="Before and after"
    />
  );
}

function AsItIs({ item }: { item: Item }) {
  return (
    <div className={classes.asItIs}>
      <div className={classes.facts}>
        <StatusTag status={item.status} /> <TypeTag type={item.type} /> <code>{item.schemaKey}</code>
      </div>
      <p className={classes.text}>{item.content}</p>
    </div>
  );
}

function OfOne({ action, id }: { action: Action; id: string }) {
  const item = useItem(id);
  return (
    <Loaded of={item}>
      {(found) => (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            {action.applied ? "As it is now: " : "It is about "}
            <ItemLink item={found} />
          </Text>
          {!action.applied && action.type === "DEPRECATE_MEMORY" ? (
            <Changed item={found} line={({ status }) => [`status: ${status}`, "status: deprecated"]} />
          ) : !action.applied && action.type === "FLAG_QUALITY" ? (
            <Changed
              item={found}
              line={({ flags }) => [
                `flags: ${flags.join(", ") || "none"}`,
                `flags: ${[...flags, "quality"].join(", ")}`,
              ]}
            />
          ) : (
            <AsItIs item={found} />
          )}
        </>
      )}
    </Loaded>
  );
}

function Goes({ id, stays }: { id: string; stays: Item }) {
  const item = useItem(id);
  return (
    <Loaded of={item}>
      {(found) => (
        <div className={classes.goes}>
          <Text size="xs" c="dimmed" mb={4}>
            <ItemLink item={found} /> goes into the one that stays
          </Text>
          <Diff before={textOf(found)} after={textOf(stays)} label={`${found.title}, beside what stays`} />
        </div>
      )}
    </Loaded>
  );
}

function Merge({ ids }: { ids: string[] }) {
  const [first = "", ...others] = ids;
  const item = useItem(first);
  return (
    <Loaded of={item}>
      {(stays) => (
        <>
          <Text size="xs" c="dimmed">
            <ItemLink item={stays} /> stays
          </Text>
          {others.slice(0, MOST_SHOWN).map((id) => (
            <Goes key={id} id={id} stays={stays} />
          ))}
          {others.length > MOST_SHOWN && (
            <Text size="xs" c="dimmed" mt="xs">
              and {others.length - MOST_SHOWN} more
            </Text>
          )}
        </>
      )}
    </Loaded>
  );
}

/** What an action would change, or has changed. */
export function Detail({ action }: { action: Action }) {
  const ids = itemsOf(action);
  const [id] = ids;
  if (action.before !== undefined && action.after !== undefined)
    return <Diff before={action.before} after={action.after} label="Title before and after" />;
  if (action.type === "MERGE_MEMORIES") return <Merge ids={ids} />;
  return id === undefined ? null : <OfOne action={action} id={id} />;
}
