import { Text } from "@mantine/core";
import { IconQuote } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useEvidence, type CitedEvent } from "~/api/items";
import { lookup } from "~/parts/lookup";
import { Empty, Loaded } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import classes from "./item.module.css";

/** Events in words. */
const TOLD: Record<string, string> = {
  session_save: "work of a session",
  git_digest: "commits",
  memory_operation: "told outright",
  context_update: "a context",
  scan_result: "a scan",
  conversation: "conversation",
};

/** An excerpt with all the quotes that stand in it. */
interface Passage {
  first: CitedEvent;
  quotes: string[];
}

/** Quotes of one event that stand in the same excerpt are shown there together. */
function passages(all: CitedEvent[]): Passage[] {
  const found: Passage[] = [];
  for (const cited of all) {
    const known = found.find(
      ({ first }) => first.found && first.eventId === cited.eventId && first.excerpt.includes(cited.quote),
    );
    if (known) known.quotes.push(cited.quote);
    else found.push({ first: cited, quotes: [cited.quote] });
  }
  return found;
}

/** The text with the very words in it marked. */
function Marked({ passage }: { passage: Passage }) {
  const { excerpt, quote, found } = passage.first;
  const text = found ? excerpt : quote;
  const marks = passage.quotes
    .map((words) => ({ from: text.indexOf(words), to: text.indexOf(words) + words.length }))
    .filter(({ from }) => from >= 0)
    .sort((one, other) => one.from - other.from);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { from, to } of marks) {
    if (to <= at) continue;
    const start = Math.max(at, from);
    parts.push(text.slice(at, start));
    parts.push(
      <mark key={start} className={classes.mark}>
        {text.slice(start, to)}
      </mark>,
    );
    at = to;
  }
  return [...parts, text.slice(at)];
}

function Cited({ passage, projectId }: { passage: Passage; projectId: string }) {
  const cited = passage.first;
  return (
    <li className={classes.cited}>
      <blockquote className={classes.excerpt}>
        <Marked passage={passage} />
      </blockquote>
      <div className={classes.citedFrom}>
        {cited.event && <Tag>{lookup(TOLD, cited.event) ?? cited.event.replaceAll("_", " ")}</Tag>}
        {cited.source && <span>{cited.source}</span>}
        {cited.createdAt && <Time at={cited.createdAt} />}
        {cited.sessionId && (
          <Link href={`/p/${projectId}/sessions/${cited.sessionId}`} className={classes.link}>
            Open the session
          </Link>
        )}
        {!cited.found && (
          <span>
            {cited.event
              ? "The quote is not found in its event."
              : "The event itself has gone; the quote is kept."}
          </span>
        )}
      </div>
    </li>
  );
}

/** What an item rests on: the very quotes, in their place. */
export function Evidence({ id, projectId }: { id: string; projectId: string }) {
  const evidence = useEvidence(id);
  return (
    <Loaded of={evidence}>
      {(all) =>
        all.length === 0 ? (
          <Empty icon={<IconQuote size={32} />} title="No evidence is kept">
            It was imported or written without a source. Judge it by what you know.
          </Empty>
        ) : (
          <>
            <ol className={classes.evidence} aria-label="Evidence">
              {passages(all).map((passage) => (
                <Cited
                  key={`${passage.first.eventId} ${passage.first.quote}`}
                  passage={passage}
                  projectId={projectId}
                />
              ))}
            </ol>
            {all.length >= 50 && (
              <Text size="xs" c="dimmed">
                The first 50 quotes are shown.
              </Text>
            )}
          </>
        )
      }
    </Loaded>
  );
}
