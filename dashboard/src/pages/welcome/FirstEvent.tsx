import { Button, Group, Text } from "@mantine/core";
import { IconCircleCheck, IconStack2, IconTimeline } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { Link } from "wouter";
import { invalidate, useGet } from "~/api/hooks";
import { useLiveNotice, type Notice } from "~/api/live";
import type { SessionEvent } from "~/api/types";
import { eventName } from "~/parts/names";
import { ErrorAlert } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import type { Agent } from "../keys/agents";
import classes from "./welcome.module.css";

const EXCERPT_CHARS = 240;

/** The longest text found in an event payload, shortened. */
function findExcerpt(payload: unknown): string {
  const queue = [payload];
  let longest = "";
  for (let visited = 0; queue.length > 0 && visited < 200; visited += 1) {
    const value = queue.shift();
    if (typeof value === "string" && value.includes(" ") && value.length > longest.length) longest = value;
    else if (value && typeof value === "object") queue.push(...Object.values(value));
  }
  return longest.length > EXCERPT_CHARS ? `${longest.slice(0, EXCERPT_CHARS)}…` : longest;
}

function EventSummary({ event }: { event: SessionEvent }) {
  const excerpt = findExcerpt(event.payload);
  return (
    <>
      <Group gap="xs" mt="sm">
        <Tag tone="info">{eventName(event.event)}</Tag>
        <Text size="sm" c="dimmed">
          <RelativeTime at={event.createdAt} />
        </Text>
      </Group>
      {excerpt && (
        <Text size="sm" component="blockquote" className={classes.excerpt}>
          {excerpt}
        </Text>
      )}
    </>
  );
}

function NextSteps({ projectId }: { projectId: string }) {
  return (
    <Group mt="md" gap="sm">
      <Button component={Link} href={`/p/${projectId}/sessions`} leftSection={<IconTimeline size={16} />}>
        View sessions
      </Button>
      <Button
        variant="default"
        component={Link}
        href={`/p/${projectId}/memory`}
        leftSection={<IconStack2 size={16} />}
      >
        Open Memory
      </Button>
    </Group>
  );
}

/** What happens to the event now. */
function describeNext(agent: Agent): string {
  if (agent.kind === "curl") return "Open its session and choose Enrich now to extract memories from it.";
  return agent.hasHooks
    ? "Your agent is connected. When its session ends, its decisions and findings become memories that the next session starts with."
    : "Your agent is connected. What it saves with a tool becomes memories.";
}

interface ReceivedProps {
  projectId: string;
  previousEventAt: string | null;
  agent: Agent;
}

function Received({ projectId, previousEventAt, agent }: ReceivedProps) {
  const sessions = useGet("/api/v2/sessions", { query: { projectId, limit: 1 } });
  const id = sessions.data?.[0]?.id ?? "";
  const events = useGet(
    "/api/v2/sessions/{id}/events",
    { path: { id }, query: { limit: 1 } },
    { enabled: id !== "" },
  );
  // Only a project's first event can be identified; later ones could be any of several.
  const first = previousEventAt === null ? events.data?.[0] : undefined;
  return (
    <div className={`${classes.waiting} ${classes.received}`} role="status">
      <Group gap="xs" wrap="nowrap">
        <IconCircleCheck size={24} color="light-dark(#1f7a3f, #6fcf8f)" aria-hidden />
        <Text fw={650} size="lg">
          {previousEventAt === null ? "First event received" : "New event received"}
        </Text>
      </Group>
      {first && <EventSummary event={first} />}
      <Text size="sm" mt="sm">
        {describeNext(agent)}
      </Text>
      <NextSteps projectId={projectId} />
    </div>
  );
}

interface Props {
  projectId: string;
  agent: Agent;
}

/** Waits for the project's next event and shows it. */
export function FirstEvent({ projectId, agent }: Props) {
  const cache = useQueryClient();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId } });
  const lastEventAt = overview.data?.lastEventAt ?? null;
  const [initial, setInitial] = useState<string | null | undefined>(undefined);
  if (initial === undefined && overview.data && !overview.isStale) setInitial(lastEventAt);
  useLiveNotice(
    useCallback(
      (notice: Notice) => {
        if (notice.resource !== "sessions" || notice.projectId !== projectId) return;
        void invalidate(cache, (path) => /^\/api\/v2\/(overview|sessions)/.test(path));
      },
      [cache, projectId],
    ),
  );
  if (overview.error && !overview.data)
    return <ErrorAlert error={overview.error} retry={() => void overview.refetch()} />;
  if (initial !== undefined && lastEventAt !== initial)
    return <Received projectId={projectId} previousEventAt={initial} agent={agent} />;
  return (
    <div className={classes.waiting} role="status">
      <span className={classes.pulse} aria-hidden />
      {lastEventAt === null ? (
        <div>
          <Text fw={600}>Waiting for the first event…</Text>
          <Text size="sm" c="dimmed">
            It appears here as soon as it arrives. You can leave this page and come back.
          </Text>
        </div>
      ) : (
        <div>
          <Text fw={600}>This project is receiving events</Text>
          <Text size="sm" c="dimmed">
            Last event <RelativeTime at={lastEventAt} />. The next one appears here as it arrives.
          </Text>
          <NextSteps projectId={projectId} />
        </div>
      )}
    </div>
  );
}
