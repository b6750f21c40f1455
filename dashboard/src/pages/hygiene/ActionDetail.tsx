import { Text } from "@mantine/core";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { Item } from "~/api/types";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { StatusTag, TypeTag } from "~/parts/Tag";
import { useProject } from "~/shell/project";
import classes from "./hygiene.module.css";
import { itemIdsOf, type Action } from "./actions";

/** Merged memories shown in full; the action's description names the rest. */
const MAX_MERGED = 6;

function ItemLink({ item }: { item: Item }) {
  const project = useProject();
  return <Link href={`/p/${project.id}/memory/${item.id}`}>{item.title}</Link>;
}

const useItem = (id: string) => useGet("/api/v2/items/{id}", { path: { id } });
const itemText = (item: Item) => `${item.title}\n\n${item.content}`;

/** A diff of an item in which only the given property line changes. */
function ItemDiff({ item, line }: { item: Item; line: (item: Item) => [before: string, after: string] }) {
  const [before, after] = line(item);
  return (
    <Diff
      before={`${before}\n${itemText(item)}`}
      after={`${after}\n${itemText(item)}`}
      label="Before and after"
    />
  );
}

function CurrentItem({ item }: { item: Item }) {
  return (
    <div className={classes.currentItem}>
      <div className={classes.facts}>
        <StatusTag status={item.status} /> <TypeTag type={item.type} /> <code>{item.schemaKey}</code>
      </div>
      <p className={classes.text}>{item.content}</p>
    </div>
  );
}

function SingleItem({ action, id }: { action: Action; id: string }) {
  const item = useItem(id);
  return (
    <Loaded query={item}>
      {(found) => (
        <>
          <Text size="xs" c="dimmed" mb={4}>
            {action.applied ? "Current version: " : "Affects: "}
            <ItemLink item={found} />
          </Text>
          {!action.applied && action.type === "DEPRECATE_MEMORY" ? (
            <ItemDiff item={found} line={({ status }) => [`status: ${status}`, "status: deprecated"]} />
          ) : !action.applied && action.type === "FLAG_QUALITY" ? (
            <ItemDiff
              item={found}
              line={({ flags }) => [
                `flags: ${flags.join(", ") || "none"}`,
                `flags: ${[...flags, "quality"].join(", ")}`,
              ]}
            />
          ) : (
            <CurrentItem item={found} />
          )}
        </>
      )}
    </Loaded>
  );
}

function MergedItem({ id, target }: { id: string; target: Item }) {
  const item = useItem(id);
  return (
    <Loaded query={item}>
      {(found) => (
        <div className={classes.mergedItem}>
          <Text size="xs" c="dimmed" mb={4}>
            <ItemLink item={found} /> merges into the memory above
          </Text>
          <Diff
            before={itemText(found)}
            after={itemText(target)}
            label={`${found.title} compared with the merge target`}
          />
        </div>
      )}
    </Loaded>
  );
}

function Merge({ ids }: { ids: string[] }) {
  const [first = "", ...others] = ids;
  const item = useItem(first);
  return (
    <Loaded query={item}>
      {(target) => (
        <>
          <Text size="xs" c="dimmed">
            <ItemLink item={target} /> is kept
          </Text>
          {others.slice(0, MAX_MERGED).map((id) => (
            <MergedItem key={id} id={id} target={target} />
          ))}
          {others.length > MAX_MERGED && (
            <Text size="xs" c="dimmed" mt="xs">
              and {others.length - MAX_MERGED} more
            </Text>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Shows what an action would change or has changed. */
export function ActionDetail({ action }: { action: Action }) {
  const ids = itemIdsOf(action);
  const [id] = ids;
  if (action.before !== undefined && action.after !== undefined)
    return <Diff before={action.before} after={action.after} label="Title before and after" />;
  if (action.type === "MERGE_MEMORIES") return <Merge ids={ids} />;
  return id === undefined ? null : <SingleItem action={action} id={id} />;
}
