import { Group, Stack, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import type { components } from "~/api/schema";
import { RelativeTime } from "~/parts/format";
import { sourceName } from "~/parts/names";
import { Tag } from "~/parts/Tag";
import classes from "./memory.module.css";

type Turn = components["schemas"]["TurnResult"];

const MAX_TURNS = 10;

function TurnCard({ turn, projectId }: { turn: Turn; projectId: string }) {
  return (
    <li className={classes.result}>
      <div className={classes.resultMain}>
        <Group gap="xs" justify="space-between" align="flex-start">
          <Link href={`/p/${projectId}/sessions/${turn.sessionId}`} className={classes.resultTitle}>
            {turn.kind === "commit" && turn.commitSha ? `Commit ${turn.commitSha.slice(0, 7)}` : "Session"}
            {turn.agent && ` by ${sourceName(turn.agent)}`}
          </Link>
          <Tag tone="warn" title="Not reviewed yet">
            unreviewed
          </Tag>
        </Group>
        <Text size="sm" lineClamp={3}>
          {turn.excerpt}
        </Text>
        <Text size="xs" c="dimmed" className={classes.path}>
          <RelativeTime at={turn.saidAt} />
          {[turn.branch, ...turn.files.slice(0, 2)]
            .filter(Boolean)
            .map((text) => ` · ${text}`)
            .join("")}
        </Text>
      </div>
    </li>
  );
}

/** What sessions and commits say, best match first. */
export function TurnResults({ turns, projectId }: { turns: Turn[]; projectId: string }) {
  if (turns.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h5">
        Sessions and commits
      </Title>
      <ol className={classes.results} aria-label="Sessions and commits">
        {turns.slice(0, MAX_TURNS).map((turn) => (
          <TurnCard key={turn.turnId} turn={turn} projectId={projectId} />
        ))}
      </ol>
    </Stack>
  );
}
