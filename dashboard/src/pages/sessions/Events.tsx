import { Loader, Text } from "@mantine/core";
import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo } from "react";
import { tell, type ApiError } from "~/api/client";
import type { Session, SessionEvent } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Empty, Problem } from "~/parts/Page";
import { count } from "~/parts/Time";
import { EventCard } from "./EventCard";
import { Long } from "./Long";
import classes from "./events.module.css";

const PAGE = 100;
/** A rough guess at how tall an event's card is; it is measured once it is there. */
const HEIGHT: Record<string, number> = { session_save: 320, git_digest: 420, scan_result: 480 };

/**
 * Events are only ever added at the end. So what has been read is never asked for again (however many notices come):
 * when the session has grown, the list goes on after the last one that is known.
 */
export function useEvents(session: Session) {
  const pages = useInfiniteQuery({
    queryKey: ["events of a session", session.id],
    queryFn: async ({ signal, pageParam }) => {
      const told = await tell("get", "/api/v2/sessions/{id}/events", {
        path: { id: session.id },
        query: { limit: PAGE, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      });
      return { ...told, asked: session.eventCount };
    },
    initialPageParam: "",
    getNextPageParam: (last, all) =>
      last.nextCursor ?? all.findLast((page) => page.data.length > 0)?.data.at(-1)?.id ?? "",
    staleTime: Infinity,
  });
  const events = useMemo(() => (pages.data?.pages ?? []).flatMap((page) => page.data), [pages.data]);
  const known = pages.data?.pages.at(-1);
  const open = Boolean(known?.nextCursor);
  const { isFetching, isError, fetchNextPage } = pages;
  // Nothing came though more were counted: not again before the count has changed.
  const dry = known?.data.length === 0 && known.asked >= session.eventCount;
  const missing = known !== undefined && events.length < session.eventCount && !dry;
  const more = useCallback(() => {
    if (missing && !isFetching && !isError) void fetchNextPage();
  }, [missing, isFetching, isError, fetchNextPage]);
  // New ones, while one looks on: there is no page to be scrolled to, they simply appear.
  useEffect(() => {
    if (!open) more();
    // oxlint-disable-next-line react/exhaustive-deps -- once for each new number, not again while none has come
  }, [session.eventCount, open]);
  return { events, more, error: pages.error as ApiError | null, pages };
}

export function Events({ session, of }: { session: Session; of: ReturnType<typeof useEvents> }) {
  const { events, more, error, pages } = of;
  const before = useMemo(
    () => new Map(events.map((event, place) => [event.id, events[place - 1]?.id ?? null])),
    [events],
  );
  if (error && events.length === 0) return <Problem error={error} retry={() => void pages.refetch()} />;
  if (pages.isPending) return <Loader size="sm" aria-label="Loading" mx="auto" display="block" my="xl" />;
  if (events.length === 0)
    return (
      <Empty icon={<IconTimelineEvent size={40} />} title="No event yet">
        This session was begun and nothing has been told in it. What an agent sends appears here at once.
      </Empty>
    );
  return (
    <div className={classes.events}>
      <Long
        rows={events}
        keyOf={(event: SessionEvent) => event.id}
        estimate={(event) => lookup(HEIGHT, event.event) ?? 200}
        nearEnd={more}
        show={(event) => (
          <EventCard
            event={event}
            before={before.get(event.id) ?? null}
            sessionId={session.id}
            projectId={session.projectId}
          />
        )}
      />
      {events.length < session.eventCount && (
        <Text size="sm" c="dimmed" ta="center" py="sm">
          {count(events.length)} of {count(session.eventCount)} events
        </Text>
      )}
      {error && <Problem error={error} retry={() => void pages.fetchNextPage()} />}
    </div>
  );
}
