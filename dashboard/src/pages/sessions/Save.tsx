import { Text } from "@mantine/core";
import { Tag } from "~/parts/Tag";
import {
  asList,
  asWords,
  filesOf,
  firstText,
  firstWords,
  isLarge,
  isObject,
  without,
  type Payload,
  type Words,
} from "./payload";
import classes from "./events.module.css";
import { Files, Prose, Rest } from "./Shown";

const SUMMARIES = ["summary", "description", "notes", "text", "message"];
const CHANGES = ["changes", "items", "entries", "observations", "facts"];
const BODIES = ["content", "description", "body", "details", "text", "narrative", "summary"];

interface Told {
  title: string;
  body: Words | null;
  files: string[];
  rest: Payload;
}

function toldOf(entry: unknown): Told | null {
  const body = asWords(entry);
  if (body !== null) return { title: "", body, files: [], rest: {} };
  if (!isObject(entry)) return null;
  const name = BODIES.find((one) => asWords(entry[one]) !== null);
  const rest = without(entry, ["category", "type", "kind", "title", "name", "subject", "files", name ?? ""]);
  return {
    title: firstText(entry, "title", "name", "subject"),
    body: firstWords(entry, ...BODIES),
    files: filesOf(entry["files"]),
    rest,
  };
}

/** Changes under what they were filed as; other lists ("decisions", "nextSteps") under their own name. */
function grouped(payload: Payload): { groups: Map<string, Told[]>; shown: string[] } {
  const groups = new Map<string, Told[]>();
  const shown: string[] = [];
  for (const [field, value] of Object.entries(payload)) {
    const known = CHANGES.includes(field);
    if (field === "files" || SUMMARIES.includes(field) || !(known || Array.isArray(value))) continue;
    const all = asList(value);
    const told = all.map(toldOf);
    if (all.length === 0 || told.some((one) => one === null || (!one.title && one.body === null))) continue;
    shown.push(field);
    all.forEach((entry, place) => {
      const filed = isObject(entry) ? firstText(entry, "category", "type", "kind") : "";
      const name = filed || (known ? "change" : field);
      groups.set(name, [...(groups.get(name) ?? []), told[place]!]);
    });
  }
  return { groups, shown };
}

function Entry({ told }: { told: Told }) {
  return (
    <li className={classes.entry}>
      {told.title && (
        <Text size="sm" fw={600}>
          {told.title}
        </Text>
      )}
      {told.body !== null && told.body !== told.title && <Prose words={told.body} />}
      <Files files={told.files} />
      <Rest payload={told.rest} name="More" />
    </li>
  );
}

/** What an agent saved of its work. */
export function Save({ payload }: { payload: Payload }) {
  const summaries = SUMMARIES.flatMap((name) => {
    const words =
      asWords(payload[name]) ??
      asList(payload[name])
        .filter((one) => typeof one === "string")
        .join("\n\n");
    return words ? [{ name, words }] : [];
  });
  const { groups, shown } = grouped(payload);
  const rest = without(payload, [...summaries.map((one) => one.name), ...shown, "files", "source", "nonce"]);
  return (
    <>
      {summaries.map(({ name, words }) => (
        <div key={name} className={name === "summary" ? classes.summary : undefined}>
          {isLarge(words) || words ? <Prose words={words} /> : null}
        </div>
      ))}
      {[...groups].map(([name, all]) => (
        <section key={name} className={classes.group} aria-label={name}>
          <Tag tone="soft">{name}</Tag>
          <ul className={classes.entries}>
            {all.map((told, place) => (
              <Entry key={place} told={told} />
            ))}
          </ul>
        </section>
      ))}
      <Files files={filesOf(payload["files"])} />
      <Rest payload={rest} />
    </>
  );
}
