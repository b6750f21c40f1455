import { Text } from "@mantine/core";
import { IconQuote } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useEvidence, type CitedEvent } from "~/api/items";
import { eventName, sourceName } from "~/parts/names";
import { EmptyState, Loaded } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import classes from "./item.module.css";

const SHORT_SHA_CHARS = 10;

/** An excerpt and the quotes it contains. */
interface Passage {
  first: CitedEvent;
  quotes: string[];
}

/** Groups quotes of one event that share an excerpt. */
function groupPassages(all: CitedEvent[]): Passage[] {
  const found: Passage[] = [];
  for (const cited of all) {
    const known = found.find(
      ({ first }) =>
        first.found &&
        first.eventId === cited.eventId &&
        first.commitSha === cited.commitSha &&
        first.excerpt.includes(cited.quote),
    );
    if (known) known.quotes.push(cited.quote);
    else found.push({ first: cited, quotes: [cited.quote] });
  }
  return found;
}

/** The excerpt with its quotes highlighted. */
function HighlightedExcerpt({ passage }: { passage: Passage }) {
  const { excerpt, quote, found } = passage.first;
  const text = found ? excerpt : quote;
  const ranges = passage.quotes
    .map((quote) => ({ from: text.indexOf(quote), to: text.indexOf(quote) + quote.length }))
    .filter(({ from }) => from >= 0)
    .sort((a, b) => a.from - b.from);
  const parts: ReactNode[] = [];
  let at = 0;
  for (const { from, to } of ranges) {
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

function PassageItem({ passage, projectId }: { passage: Passage; projectId: string }) {
  const cited = passage.first;
  return (
    <li className={classes.passage}>
      <blockquote className={classes.excerpt}>
        <HighlightedExcerpt passage={passage} />
      </blockquote>
      <div className={classes.passageSource}>
        {cited.event && <Tag>{eventName(cited.event)}</Tag>}
        {cited.commitSha && <code title={cited.commitSha}>{cited.commitSha.slice(0, SHORT_SHA_CHARS)}</code>}
        {cited.source && <span>{sourceName(cited.source)}</span>}
        {cited.createdAt && <RelativeTime at={cited.createdAt} />}
        {cited.sessionId && (
          <Link href={`/p/${projectId}/sessions/${cited.sessionId}`} className={classes.link}>
            Open session
          </Link>
        )}
        {!cited.found && (
          <span>
            {cited.event
              ? "The quote was not found in this event."
              : "The event was deleted; only the quote remains."}
          </span>
        )}
      </div>
    </li>
  );
}

/** The quotes an item is based on, in context. */
export function Evidence({ id, projectId }: { id: string; projectId: string }) {
  const evidence = useEvidence(id);
  return (
    <Loaded query={evidence}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon={<IconQuote size={32} />} title="No evidence">
            This memory was imported or written without a source.
          </EmptyState>
        ) : (
          <>
            <ol className={classes.evidence} aria-label="Evidence">
              {groupPassages(all).map((passage) => (
                <PassageItem
                  key={`${passage.first.eventId} ${passage.first.quote}`}
                  passage={passage}
                  projectId={projectId}
                />
              ))}
            </ol>
            {all.length >= 50 && (
              <Text size="xs" c="dimmed">
                Showing the first 50 quotes.
              </Text>
            )}
          </>
        )
      }
    </Loaded>
  );
}
