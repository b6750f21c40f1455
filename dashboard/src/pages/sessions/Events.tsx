import { Loader, Text } from "@mantine/core";
import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { request, type ApiError } from "~/api/client";
import type { Session, SessionEvent } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { EmptyState, ErrorAlert } from "~/parts/Page";
import { formatNumber, pluralize } from "~/parts/format";
import { EventCard } from "./EventCard";
import { VirtualList } from "./VirtualList";
import classes from "./events.module.css";

const PAGE_SIZE = 100;
/** Estimated card heights by event type, until the card is measured. */
const ESTIMATED_HEIGHT: Record<string, number> = { session_save: 320, git_digest: 420, scan_result: 480 };

/**
 * Events are append-only, so loaded pages are never refetched. When the session grows, loading continues after the last
 * known event.
 */
export function useEvents(session: Session) {
  const pages = useInfiniteQuery({
    queryKey: ["events of a session", session.id],
    queryFn: async ({ signal, pageParam }) => {
      const page = await request("get", "/api/v2/sessions/{id}/events", {
        path: { id: session.id },
        query: { limit: PAGE_SIZE, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      });
      return { ...page, countWhenFetched: session.eventCount };
    },
    initialPageParam: "",
    getNextPageParam: (last, all) =>
      last.nextCursor ?? all.findLast((page) => page.data.length > 0)?.data.at(-1)?.id ?? "",
    staleTime: Infinity,
  });
  const events = useMemo(() => (pages.data?.pages ?? []).flatMap((page) => page.data), [pages.data]);
  const lastPage = pages.data?.pages.at(-1);
  const hasNextPage = Boolean(lastPage?.nextCursor);
  const { isFetching, isError, fetchNextPage } = pages;
  // The last page was empty although more events were counted; don't retry until the count changes.
  const exhausted = lastPage?.data.length === 0 && lastPage.countWhenFetched >= session.eventCount;
  const missing = lastPage !== undefined && events.length < session.eventCount && !exhausted;
  const loadMore = useCallback(() => {
    if (missing && !isFetching && !isError) void fetchNextPage();
  }, [missing, isFetching, isError, fetchNextPage]);
  // Show new events as they arrive once all pages are loaded.
  useEffect(() => {
    if (!hasNextPage) loadMore();
    // oxlint-disable-next-line react/exhaustive-deps -- run once per new count
  }, [session.eventCount, hasNextPage]);
  return { events, loadMore, exhausted, error: pages.error as ApiError | null, pages };
}

export function Events({ session, list }: { session: Session; list: ReturnType<typeof useEvents> }) {
  const { events, loadMore, exhausted, error, pages } = list;
  const previousIds = useMemo(
    () => new Map(events.map((event, index) => [event.id, events[index - 1]?.id ?? null])),
    [events],
  );
  if (error && events.length === 0) return <ErrorAlert error={error} retry={() => void pages.refetch()} />;
  if (pages.isPending)
    return <Loader size="sm" role="status" aria-label="Loading" mx="auto" display="block" my="xl" />;
  if (events.length === 0 && session.eventCount > 0 && exhausted)
    return (
      <EmptyState icon={<IconTimelineEvent size={40} />} title="Events deleted">
        This project keeps events for a limited time. What was learned from them stays.
      </EmptyState>
    );
  if (events.length === 0)
    return (
      <EmptyState icon={<IconTimelineEvent size={40} />} title="No events yet">
        Events sent by an agent appear here immediately.
      </EmptyState>
    );
  return (
    <div className={classes.events}>
      <VirtualList
        rows={events}
        keyOf={(event: SessionEvent) => event.id}
        estimate={(event) => lookup(ESTIMATED_HEIGHT, event.event) ?? 200}
        onNearEnd={loadMore}
        renderRow={(event) => (
          <EventCard
            event={event}
            previousId={previousIds.get(event.id) ?? null}
            sessionId={session.id}
            projectId={session.projectId}
          />
        )}
      />
      {events.length < session.eventCount && (
        <Text size="sm" c="dimmed" ta="center" py="sm">
          {exhausted
            ? `${pluralize(session.eventCount - events.length, "older event")} deleted, as set in the project's retention`
            : `${formatNumber(events.length)} of ${formatNumber(session.eventCount)} events`}
        </Text>
      )}
      {error && <ErrorAlert error={error} retry={() => void pages.fetchNextPage()} />}
    </div>
  );
}
