import { Text } from "@mantine/core";
import { Tag } from "~/parts/Tag";
import {
  asList,
  asTextValue,
  filePaths,
  firstText,
  firstTextValue,
  isBlobRef,
  isObject,
  without,
  type Payload,
  type TextValue,
} from "./payload";
import classes from "./events.module.css";
import { Files, Prose, OtherFields } from "./PayloadFields";

const SUMMARY_FIELDS = ["summary", "description", "notes", "text", "message"];
const CHANGE_FIELDS = ["changes", "items", "entries", "observations", "facts"];
const BODY_FIELDS = ["content", "description", "body", "details", "text", "narrative", "summary"];

interface SavedEntry {
  title: string;
  body: TextValue | null;
  files: string[];
  rest: Payload;
}

function parseEntry(entry: unknown): SavedEntry | null {
  const body = asTextValue(entry);
  if (body !== null) return { title: "", body, files: [], rest: {} };
  if (!isObject(entry)) return null;
  const name = BODY_FIELDS.find((field) => asTextValue(entry[field]) !== null);
  const rest = without(entry, ["category", "type", "kind", "title", "name", "subject", "files", name ?? ""]);
  return {
    title: firstText(entry, "title", "name", "subject"),
    body: firstTextValue(entry, ...BODY_FIELDS),
    files: filePaths(entry["files"]),
    rest,
  };
}

/** Groups changes by category; other lists ("decisions", "nextSteps") become groups of their own. */
function groupEntries(payload: Payload): { groups: Map<string, SavedEntry[]>; shown: string[] } {
  const groups = new Map<string, SavedEntry[]>();
  const shown: string[] = [];
  for (const [field, value] of Object.entries(payload)) {
    const known = CHANGE_FIELDS.includes(field);
    if (field === "files" || SUMMARY_FIELDS.includes(field) || !(known || Array.isArray(value))) continue;
    const all = asList(value);
    const entries = all.map(parseEntry);
    if (all.length === 0 || entries.some((entry) => entry === null || (!entry.title && entry.body === null)))
      continue;
    shown.push(field);
    all.forEach((entry, index) => {
      const filed = isObject(entry) ? firstText(entry, "category", "type", "kind") : "";
      const name = filed || (known ? "change" : field);
      groups.set(name, [...(groups.get(name) ?? []), entries[index]!]);
    });
  }
  return { groups, shown };
}

function EntryItem({ entry }: { entry: SavedEntry }) {
  return (
    <li className={classes.entry}>
      {entry.title && (
        <Text size="sm" fw={600}>
          {entry.title}
        </Text>
      )}
      {entry.body !== null && entry.body !== entry.title && <Prose value={entry.body} />}
      <Files files={entry.files} />
      <OtherFields payload={entry.rest} name="More" />
    </li>
  );
}

/** A prompt and its answer. */
function Turn({ turn }: { turn: Payload }) {
  const texts = ["prompt", "answer"].flatMap((name) => {
    const text = asTextValue(turn[name]);
    return text === null ? [] : [{ name, text }];
  });
  return (
    <section className={classes.group} aria-label="Turn">
      {texts.map(({ name, text }) => (
        <div key={name}>
          <Tag tone="soft">{name}</Tag>
          <Prose value={text} />
        </div>
      ))}
      <Files files={filePaths(turn["files"])} />
    </section>
  );
}

/** The contents of a `session_save` event. */
export function SessionSave({ payload }: { payload: Payload }) {
  const summaries = SUMMARY_FIELDS.flatMap((name) => {
    const text =
      asTextValue(payload[name]) ??
      asList(payload[name])
        .filter((part) => typeof part === "string")
        .join("\n\n");
    return text ? [{ name, text }] : [];
  });
  const { groups, shown } = groupEntries(payload);
  const turns = asList(payload["turns"]).filter(isObject);
  const known = [...summaries.map(({ name }) => name), ...shown, "turns", "files", "source", "nonce"];
  const rest = without(payload, known);
  return (
    <>
      {summaries.map(({ name, text }) => (
        <div key={name} className={name === "summary" ? classes.summary : undefined}>
          {isBlobRef(text) || text ? <Prose value={text} /> : null}
        </div>
      ))}
      {turns.map((turn, index) => (
        <Turn key={index} turn={turn} />
      ))}
      {[...groups].map(([name, all]) => (
        <section key={name} className={classes.group} aria-label={name}>
          <Tag tone="soft">{name}</Tag>
          <ul className={classes.entries}>
            {all.map((entry, index) => (
              <EntryItem key={index} entry={entry} />
            ))}
          </ul>
        </section>
      ))}
      <Files files={filePaths(payload["files"])} />
      <OtherFields payload={rest} />
    </>
  );
}
