import type { ItemChange } from "~/api/items";
import type { Item, ItemType } from "~/api/types";

/** The editable fields of an item. */
export interface Draft {
  title: string;
  content: string;
  type: ItemType;
  schemaKey: string;
  tier: number;
  tags: string[];
  files: string[];
}

export const toDraft = (item: Item): Draft => ({
  title: item.title,
  content: item.content,
  type: item.type,
  schemaKey: item.schemaKey,
  tier: item.tier,
  tags: item.tags,
  files: item.files,
});

/** The fields that differ; the others are not sent because someone else may have changed them. */
export function changedFields(item: Item, draft: Draft): ItemChange {
  const before = toDraft(item);
  const changed = (Object.keys(before) as (keyof Draft)[]).filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(draft[name]),
  );
  return Object.fromEntries(changed.map((name) => [name, draft[name]]));
}

interface State {
  title: string;
  content: string;
  type: string;
  schemaKey: string;
  tier: number;
  tags: readonly string[];
  files: readonly string[];
  status?: string;
  flags?: readonly string[];
  supersededBy?: string | null;
}

/** An item as text, for diffs. */
export function toText(state: State): string {
  const lines = [
    `Title: ${state.title}`,
    ...(state.status ? [`Status: ${state.status}`] : []),
    `Type: ${state.type}`,
    `Brain layer: ${state.tier}`,
    `Schema key: ${state.schemaKey}`,
    ...(state.flags?.length ? [`Flags: ${state.flags.join(", ").replaceAll("_", " ")}`] : []),
    ...(state.tags.length > 0 ? [`Tags: ${state.tags.join(", ")}`] : []),
    ...state.files.map((file) => `File: ${file}`),
    "",
    state.content,
  ];
  return `${lines.join("\n")}\n`;
}
