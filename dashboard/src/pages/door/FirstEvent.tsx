import { Button, Group, Text } from "@mantine/core";
import { IconCircleCheck, IconStack2, IconTimeline } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { refresh, useGet } from "~/api/hooks";
import { useNotice, type Notice } from "~/api/live";
import type { SessionEvent } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Problem } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import classes from "./welcome.module.css";

const MOST_CHARS = 240;
const EVENTS: Record<string, string> = {
  session_save: "What was said and done in a session",
  git_digest: "Commits of the repository",
  scan_result: "What a scan has found",
  context_update: "A part of the map",
  memory_operation: "A change of the memory",
};

/** A line or two of what came, wherever in the payload its words are. */
function wordsOf(payload: unknown): string {
  const open = [payload];
  let longest = "";
  for (let looked = 0; open.length > 0 && looked < 200; looked += 1) {
    const value = open.shift();
    if (typeof value === "string" && value.includes(" ") && value.length > longest.length) longest = value;
    else if (value && typeof value === "object") open.push(...Object.values(value));
  }
  return longest.length > MOST_CHARS ? `${longest.slice(0, MOST_CHARS)}…` : longest;
}

function Came({ event }: { event: SessionEvent }) {
  const words = wordsOf(event.payload);
  return (
    <>
      <Group gap="xs" mt="sm">
        <Tag tone="info">{event.event}</Tag>
        <Text size="sm" c="dimmed">
          {lookup(EVENTS, event.event) ?? "An event"}, <Time at={event.createdAt} />
        </Text>
      </Group>
      {words && (
        <Text size="sm" component="blockquote" className={classes.came}>
          {words}
        </Text>
      )}
    </>
  );
}

function Ways({ projectId }: { projectId: string }) {
  return (
    <Group mt="md" gap="sm">
      <Button component={Link} href={`/p/${projectId}/sessions`} leftSection={<IconTimeline size={16} />}>
        See it in Sessions
      </Button>
      <Button
        variant="default"
        component={Link}
        href={`/p/${projectId}/memory`}
        leftSection={<IconStack2 size={16} />}
      >
        Open the memory
      </Button>
    </Group>
  );
}

function Received({ projectId, before }: { projectId: string; before: string | null }) {
  const sessions = useGet("/api/v2/sessions", { query: { projectId, limit: 1 } });
  const id = sessions.data?.[0]?.id ?? "";
  const events = useGet(
    "/api/v2/sessions/{id}/events",
    { path: { id }, query: { limit: 1 } },
    { enabled: id !== "" },
  );
  // Of the first event it is known which one it is; of a later one only that it came.
  const first = before === null ? events.data?.[0] : undefined;
  return (
    <div className={`${classes.waiting} ${classes.received}`} role="status">
      <Group gap="xs" wrap="nowrap">
        <IconCircleCheck size={24} color="light-dark(#1f7a3f, #6fcf8f)" aria-hidden />
        <Text fw={650} size="lg">
          {before === null ? "First event received" : "A new event has come"}
        </Text>
      </Group>
      {first && <Came event={first} />}
      <Text size="sm" mt="sm">
        Your agent is connected. When its session ends, what it decided and learnt becomes memory, and the
        next session begins with it.
      </Text>
      <Ways projectId={projectId} />
    </div>
  );
}

/** Waits for an event of the project, and tells what came. */
export function FirstEvent({ projectId }: { projectId: string }) {
  const cache = useQueryClient();
  const health = useGet("/api/v2/overview/{projectId}", { path: { projectId } });
  const last = health.data?.lastEventAt ?? null;
  const [before, setBefore] = useState<string | null | undefined>(undefined);
  if (before === undefined && health.data && !health.isStale) setBefore(last);
  useNotice(
    useCallback(
      (notice: Notice) => {
        if (notice.what !== "sessions" || notice.projectId !== projectId) return;
        void refresh(cache, (address) => /^\/api\/v2\/(overview|sessions)/.test(address));
      },
      [cache, projectId],
    ),
  );
  if (health.error && !health.data)
    return <Problem error={health.error} retry={() => void health.refetch()} />;
  if (before !== undefined && last !== before) return <Received projectId={projectId} before={before} />;
  return (
    <div className={classes.waiting} role="status">
      <span className={classes.pulse} aria-hidden />
      {last === null ? (
        <div>
          <Text fw={600}>Waiting for the first event…</Text>
          <Text size="sm" c="dimmed">
            It shows here as soon as it comes. You can leave this page and come back.
          </Text>
        </div>
      ) : (
        <div>
          <Text fw={600}>This project hears already</Text>
          <Text size="sm" c="dimmed">
            The last event came <Time at={last} />. The next one shows here as it comes.
          </Text>
          <Ways projectId={projectId} />
        </div>
      )}
    </div>
  );
}
