import { Anchor, Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { Link } from "wouter";
import type { Source } from "~/api/types";
import { Tag, TypeTag } from "~/parts/Tag";
import { amount } from "~/parts/Time";
import classes from "./ask.module.css";
import { nearness } from "./citations";

/** Beyond these the item's own page tells them all. */
const MOST_FILES = 4;

const bare = (text: string) => text.replace(/[\s.]+/g, " ").trim();
/** A short memory often says in its title all that it says. */
const repeats = (source: Source) => bare(source.title).startsWith(bare(source.facts));

interface Given {
  projectId: string;
  sources: Source[];
  numbers: Map<string, number>;
  anchor: string;
}

function Card({
  projectId,
  source,
  number,
  anchor,
}: Omit<Given, "sources" | "numbers"> & { source: Source; number?: number }) {
  const shown = source.files.slice(0, MOST_FILES);
  return (
    <li className={classes.source} id={number === undefined ? undefined : `${anchor}-${number}`}>
      <div className={classes.sourceHead}>
        {number !== undefined && (
          <span className={classes.number} title="The number by which the answer cites it">
            {number}
          </span>
        )}
        <Anchor component={Link} href={`/p/${projectId}/memory/${source.itemId}`} fw={600} size="sm">
          {source.title}
        </Anchor>
      </div>
      <div className={classes.tags}>
        <TypeTag type={source.type} />
        <Tag tone={source.used ? "good" : "plain"}>{source.used ? "used" : "only looked at"}</Tag>
        <Text span size="xs" c="dimmed" title="How near its meaning is to the question">
          {nearness(source.similarity)}, {Math.round(source.similarity * 100)}%
        </Text>
      </div>
      {!repeats(source) && (
        <Text size="xs" c="dimmed" lineClamp={3} className={classes.facts}>
          {source.facts}
        </Text>
      )}
      {shown.length > 0 && (
        <ul className={classes.files} aria-label="Files">
          {shown.map((file) => (
            <li key={file}>
              <IconFile size={13} aria-hidden />
              <span>{file}</span>
            </li>
          ))}
          {source.files.length > shown.length && (
            <li>and {amount(source.files.length - shown.length, "more file")}</li>
          )}
        </ul>
      )}
    </li>
  );
}

/** What an answer rests on; and, folded away, what was read and not used. */
export function Sources({ projectId, sources, numbers, anchor }: Given) {
  const used = sources.filter((source) => source.used);
  const others = sources.filter((source) => !source.used);
  const card = (source: Source) => (
    <Card
      key={source.itemId}
      projectId={projectId}
      source={source}
      anchor={anchor}
      number={numbers.get(source.itemId)}
    />
  );
  return (
    <>
      {used.length > 0 && (
        <ul className={classes.sources} aria-label="Sources">
          {used.map(card)}
        </ul>
      )}
      {others.length > 0 && (
        <details className={classes.others} open={used.length === 0 && others.length < 3}>
          <summary>
            {used.length > 0 ? "Also looked at" : "Looked at"} ({others.length})
          </summary>
          <ul className={classes.sources} aria-label="Only looked at">
            {others.map(card)}
          </ul>
        </details>
      )}
    </>
  );
}
