import { Anchor, Text } from "@mantine/core";
import { IconFile } from "@tabler/icons-react";
import { Link } from "wouter";
import type { Source } from "~/api/types";
import { Tag, TypeTag } from "~/parts/Tag";
import { pluralize } from "~/parts/format";
import classes from "./ask.module.css";
import { describeSimilarity } from "./citations";

/** The memory's own page lists all files. */
const MAX_FILES = 4;

const normalize = (text: string) => text.replace(/[\s.]+/g, " ").trim();
/** Short memories often have the same text as title and content. */
const repeatsTitle = (source: Source) => normalize(source.title).startsWith(normalize(source.facts));

interface Props {
  projectId: string;
  sources: Source[];
  numbers: Map<string, number>;
  anchor: string;
}

function SourceCard({
  projectId,
  source,
  number,
  anchor,
}: Omit<Props, "sources" | "numbers"> & { source: Source; number?: number }) {
  const shown = source.files.slice(0, MAX_FILES);
  const isItem = source.itemId.startsWith("itm_");
  const page = source.sessionId && !isItem ? `sessions/${source.sessionId}` : `memory/${source.itemId}`;
  return (
    <li className={classes.source} id={number === undefined ? undefined : `${anchor}-${number}`}>
      <div className={classes.sourceHead}>
        {number !== undefined && (
          <span className={classes.number} title="Citation number in the answer">
            {number}
          </span>
        )}
        <Anchor component={Link} href={`/p/${projectId}/${page}`} fw={600} size="sm">
          {source.title}
        </Anchor>
      </div>
      <div className={classes.tags}>
        {source.reviewed === false && (
          <Tag tone="warn" title="Not reviewed yet">
            unreviewed
          </Tag>
        )}
        {(isItem || source.reviewed !== false) && <TypeTag type={source.type} />}
        <Tag tone={source.used ? "good" : "plain"}>{source.used ? "cited" : "not cited"}</Tag>
        <Text span size="xs" c="dimmed" title="Similarity to the question">
          {describeSimilarity(source.similarity)}, {Math.round(source.similarity * 100)}%
        </Text>
      </div>
      {!repeatsTitle(source) && (
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
            <li>and {pluralize(source.files.length - shown.length, "more file")}</li>
          )}
        </ul>
      )}
    </li>
  );
}

/** The memories an answer cites, or sessions if none covers the question; those that were retrieved but not cited are collapsed. */
export function Sources({ projectId, sources, numbers, anchor }: Props) {
  const cited = sources.filter((source) => source.used);
  const others = sources.filter((source) => !source.used);
  const card = (source: Source) => (
    <SourceCard
      key={source.itemId}
      projectId={projectId}
      source={source}
      anchor={anchor}
      number={numbers.get(source.itemId)}
    />
  );
  return (
    <>
      {cited.length > 0 && (
        <ul className={classes.sources} aria-label="Sources">
          {cited.map(card)}
        </ul>
      )}
      {others.length > 0 && (
        <details className={classes.others} open={cited.length === 0 && others.length < 3}>
          <summary>
            {cited.length > 0 ? "Also retrieved" : "Retrieved"} ({others.length})
          </summary>
          <ul className={classes.sources} aria-label="Not cited">
            {others.map(card)}
          </ul>
        </details>
      )}
    </>
  );
}
