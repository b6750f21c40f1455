import { Button, Group, Stack, Text } from "@mantine/core";
import { IconBulb, IconZoomQuestion } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { components } from "~/api/schema";
import { EmptyState, Loaded } from "~/parts/Page";
import { plainText } from "~/parts/plainText";
import { Tag, TypeTag } from "~/parts/Tag";
import { pluralize } from "~/parts/format";
import type { Filters } from "./filters";
import classes from "./memory.module.css";
import { TurnResults } from "./TurnResults";

type Result = components["schemas"]["SearchResult"];

function ScoreBreakdown({ result }: { result: Result }) {
  if (!result.explanation) return null;
  return (
    <dl className={classes.scores}>
      {result.explanation.map((reason) => (
        <div key={`${reason.signal} ${reason.description}`} className={classes.scoreRow}>
          <dt>{reason.signal}</dt>
          <dd>{reason.description}</dd>
          <dd className={classes.points}>{reason.score.toFixed(3)}</dd>
        </div>
      ))}
    </dl>
  );
}

function ResultCard({ result, projectId, best }: { result: Result; projectId: string; best: boolean }) {
  const percent = Math.round(result.similarity * 100);
  return (
    <li className={classes.result}>
      <div className={classes.similarity}>
        <div className={classes.similarityBar} aria-hidden>
          <div style={{ height: `${percent}%` }} />
        </div>
        <Text size="xs" c="dimmed" ta="center">
          {percent}%<span className="visually-hidden"> similar</span>
        </Text>
      </div>
      <div className={classes.resultMain}>
        <Group gap="xs" justify="space-between" align="flex-start">
          <Link href={`/p/${projectId}/memory/${result.itemId}`} className={classes.resultTitle}>
            {result.title}
          </Link>
          <Group gap={6}>
            {best && <Tag tone="good">best match</Tag>}
            <TypeTag type={result.type} />
          </Group>
        </Group>
        <Text size="sm" lineClamp={3}>
          {plainText(result.facts)}
        </Text>
        <Text size="xs" c="dimmed" className={classes.path}>
          {[result.schemaKey, ...result.files.slice(0, 2)].filter(Boolean).join(" · ")}
        </Text>
        <ScoreBreakdown result={result} />
      </div>
    </li>
  );
}

/** Semantic search results, best first. */
export function SearchResults({ projectId, filters }: { projectId: string; filters: Filters }) {
  const [explain, setExplain] = useState(false);
  const query = filters.q.trim();
  const found = useGet(
    "/api/v2/search",
    {
      query: {
        projectId,
        q: query,
        limit: 50,
        minSimilarity: 0.25,
        // Turns have no type or status, so those filters mean items.
        in: filters.type || filters.status === "draft" ? ("items" as const) : ("all" as const),
        ...(filters.type ? { type: filters.type } : {}),
        ...(filters.status === "draft" ? { status: "draft" as const } : {}),
        ...(filters.file ? { files: filters.file } : {}),
        ...(filters.branch ? { branch: filters.branch } : {}),
        ...(explain ? { explain: true } : {}),
      },
    },
    { enabled: query !== "", keepPrevious: true },
  );
  if (query === "")
    return (
      <EmptyState icon={<IconZoomQuestion size={40} />} title="Semantic search">
        Finds memories by meaning, not exact words. Try “why do we retry payments?”. Searches approved
        memories, sessions and commits; select the draft status to search drafts.
      </EmptyState>
    );
  return (
    <Loaded query={found}>
      {({ results, turns = [], tookMs }) =>
        results.length === 0 && turns.length === 0 ? (
          <EmptyState icon={<IconZoomQuestion size={40} />} title="No matching memories">
            Searched{" "}
            {filters.status === "draft"
              ? "drafts"
              : filters.type
                ? "approved memories"
                : "approved memories, sessions and commits"}
            . Try other words, another status, or keyword search.
          </EmptyState>
        ) : (
          <Stack gap="xs" aria-busy={found.isPlaceholderData}>
            <Group justify="space-between">
              <Text size="sm" c="dimmed" role="status">
                {pluralize(results.length, "result")} in{" "}
                {filters.status === "draft" ? "drafts" : "approved memories"}, {Math.round(tookMs)} ms
              </Text>
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconBulb size={14} />}
                aria-pressed={explain}
                onClick={() => setExplain(!explain)}
              >
                {explain ? "Hide scores" : "Explain scores"}
              </Button>
            </Group>
            <ol className={classes.results} aria-label="Search results">
              {results.map((result, index) => (
                <ResultCard key={result.itemId} result={result} projectId={projectId} best={index === 0} />
              ))}
            </ol>
            <TurnResults turns={turns} projectId={projectId} />
          </Stack>
        )
      }
    </Loaded>
  );
}
