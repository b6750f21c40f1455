import { Button, Group, Stack, Text } from "@mantine/core";
import { IconBulb, IconZoomQuestion } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { useGet } from "~/api/hooks";
import type { components } from "~/api/schema";
import { Empty, Loaded } from "~/parts/Page";
import { Tag, TypeTag } from "~/parts/Tag";
import { amount } from "~/parts/Time";
import type { Filters } from "./filters";
import { plain } from "./Row";
import classes from "./memory.module.css";

type Result = components["schemas"]["SearchResult"];

function Why({ result }: { result: Result }) {
  if (!result.why) return null;
  return (
    <dl className={classes.why}>
      {result.why.map((reason) => (
        <div key={`${reason.leg} ${reason.told}`} className={classes.whyLine}>
          <dt>{reason.leg}</dt>
          <dd>{reason.told}</dd>
          <dd className={classes.points}>{reason.points.toFixed(3)}</dd>
        </div>
      ))}
    </dl>
  );
}

function Card({ result, projectId, best }: { result: Result; projectId: string; best: boolean }) {
  const percent = Math.round(result.similarity * 100);
  return (
    <li className={classes.found}>
      <div className={classes.similarity}>
        <div className={classes.similarityBar} aria-hidden>
          <div style={{ height: `${percent}%` }} />
        </div>
        <Text size="xs" c="dimmed" ta="center">
          {percent}%<span className="said"> similar</span>
        </Text>
      </div>
      <div className={classes.foundMain}>
        <Group gap="xs" justify="space-between" align="flex-start">
          <Link href={`/p/${projectId}/memory/${result.itemId}`} className={classes.foundTitle}>
            {result.title}
          </Link>
          <Group gap={6}>
            {best && <Tag tone="good">best match</Tag>}
            <TypeTag type={result.type} />
          </Group>
        </Group>
        <Text size="sm" lineClamp={3}>
          {plain(result.facts)}
        </Text>
        <Text size="xs" c="dimmed" className={classes.path}>
          {[result.schemaKey, ...result.files.slice(0, 2)].filter(Boolean).join(" · ")}
        </Text>
        <Why result={result} />
      </div>
    </li>
  );
}

/** What answers a question, best first. */
export function Found({ projectId, filters }: { projectId: string; filters: Filters }) {
  const [explain, setExplain] = useState(false);
  const asked = filters.q.trim();
  const found = useGet(
    "/api/v2/search",
    {
      query: {
        projectId,
        q: asked,
        limit: 50,
        minSimilarity: 0.25,
        ...(filters.type ? { type: filters.type } : {}),
        ...(filters.status === "draft" ? { status: "draft" as const } : {}),
        ...(filters.file ? { files: filters.file } : {}),
        ...(filters.branch ? { branch: filters.branch } : {}),
        ...(explain ? { explain: true } : {}),
      },
    },
    { enabled: asked !== "", keep: true },
  );
  if (asked === "")
    return (
      <Empty icon={<IconZoomQuestion size={40} />} title="Ask in your own words">
        Such as “why do we retry payments?”. What is meant counts, not which words were used. Approved
        memories are searched, or drafts if you choose that status.
      </Empty>
    );
  return (
    <Loaded of={found}>
      {({ results, tookMs }) =>
        results.length === 0 ? (
          <Empty icon={<IconZoomQuestion size={40} />} title="Nothing near to that is known">
            {filters.status === "draft" ? "Drafts" : "Approved memories"} were searched. Try other words,
            another status, or search by words.
          </Empty>
        ) : (
          <Stack gap="xs" aria-busy={found.isPlaceholderData}>
            <Group justify="space-between">
              <Text size="sm" c="dimmed" role="status">
                {amount(results.length, "result")} among {filters.status === "draft" ? "drafts" : "approved"}{" "}
                in {Math.round(tookMs)} ms
              </Text>
              <Button
                variant="subtle"
                size="compact-sm"
                leftSection={<IconBulb size={14} />}
                aria-pressed={explain}
                onClick={() => setExplain(!explain)}
              >
                {explain ? "Hide why" : "Show why"}
              </Button>
            </Group>
            <ol className={classes.foundList} aria-label="Found by meaning">
              {results.map((result, place) => (
                <Card key={result.itemId} result={result} projectId={projectId} best={place === 0} />
              ))}
            </ol>
          </Stack>
        )
      }
    </Loaded>
  );
}
