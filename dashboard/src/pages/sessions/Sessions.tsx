import { Loader, SegmentedControl, Text } from "@mantine/core";
import { IconTimeline } from "@tabler/icons-react";
import { useCallback, useMemo } from "react";
import { Link, useSearchParams } from "wouter";
import { useGetPages } from "~/api/hooks";
import { EmptyState, Page, ErrorAlert } from "~/parts/Page";
import { sourceName } from "~/parts/names";
import { Tag } from "~/parts/Tag";
import { pluralize, formatDateTime } from "~/parts/format";
import { ConnectAgent, useProject } from "~/shell/project";
import { VirtualList } from "./VirtualList";
import classes from "./sessions.module.css";
import {
  dayLabel,
  formatDuration,
  STATUS_TONE,
  STATUS_DESCRIPTION,
  STATUSES,
  timeOfDay,
  type SessionEntry,
  type SessionStatus,
} from "./format";

const PAGE_SIZE = 250;

type Row = { day: string; first: boolean } | { session: SessionEntry };

/** Inserts a heading row before each day's sessions. */
function groupByDay(sessions: SessionEntry[]): Row[] {
  const rows: Row[] = [];
  let day = "";
  for (const session of sessions) {
    const sessionDay = dayLabel(session.createdAt);
    if (sessionDay !== day) rows.push({ day: sessionDay, first: day === "" });
    day = sessionDay;
    rows.push({ session });
  }
  return rows;
}

function describeDuration(session: SessionEntry): string {
  if (session.completedAt === null) return "in progress";
  return `lasted ${formatDuration(Date.parse(session.completedAt) - Date.parse(session.createdAt))}`;
}

function SessionRow({ session, projectId }: { session: SessionEntry; projectId: string }) {
  const events = pluralize(session.eventCount, "event");
  const facts = [
    session.source ? events : null,
    session.itemsExtracted === undefined ? null : pluralize(session.itemsExtracted, "memory", "memories"),
    describeDuration(session),
  ].filter(Boolean);
  return (
    <Link href={`/p/${projectId}/sessions/${session.id}`} className={classes.row}>
      <time dateTime={session.createdAt} title={formatDateTime(session.createdAt)} className={classes.time}>
        {timeOfDay(session.createdAt)}
      </time>
      <span className={classes.dot} data-status={session.status} aria-hidden />
      <span className={classes.rowBody}>
        <span className={classes.rowTitle}>{session.source ? sourceName(session.source) : events}</span>
        <Text span size="sm" c="dimmed">
          {facts.join(" · ")}
        </Text>
      </span>
      <Tag tone={STATUS_TONE[session.status]} title={STATUS_DESCRIPTION[session.status]}>
        {session.status === "enriching" && <Loader size={10} color="currentColor" aria-hidden />}
        {session.status}
      </Tag>
    </Link>
  );
}

function NoSessions({ status }: { status: SessionStatus | null }) {
  if (status)
    return (
      <EmptyState icon={<IconTimeline size={40} />} title={`No ${status} sessions`}>
        No sessions have this status. Choose “All” to see every session.
      </EmptyState>
    );
  return (
    <EmptyState icon={<IconTimeline size={40} />} title="No sessions yet" action={<ConnectAgent />}>
      A session groups the events of one stretch of work: summaries, commits and scan results. Connect an
      agent to capture sessions automatically.
    </EmptyState>
  );
}

export default function Sessions() {
  const project = useProject();
  const [search, setSearch] = useSearchParams();
  const requested = search.get("status");
  const status = STATUSES.find((known) => known === requested) ?? null;
  const query = { projectId: project.id, limit: PAGE_SIZE, detail: true, ...(status ? { status } : {}) };
  const found = useGetPages("/api/v2/sessions", { query }, { keepPrevious: true });
  const rows = useMemo(
    () => groupByDay((found.data?.pages ?? []).flatMap((page) => page.data as SessionEntry[])),
    [found.data],
  );
  const { hasNextPage, isFetching, fetchNextPage } = found;
  const nearEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const choose = (chosen: string) => setSearch(chosen === "all" ? {} : { status: chosen }, { replace: true });
  return (
    <Page title="Sessions" about="Sessions from agents, the command line and the dashboard, grouped by day.">
      <div className={classes.filter}>
        <SegmentedControl
          role="radiogroup"
          aria-label="Filter by status"
          size="sm"
          classNames={{ label: classes.choice }}
          value={status ?? "all"}
          onChange={choose}
          data={[
            { value: "all", label: "All" },
            ...STATUSES.map((name) => ({ value: name, label: name[0]!.toUpperCase() + name.slice(1) })),
          ]}
        />
      </div>
      {found.error && !found.data && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && (
        <Loader size="sm" role="status" aria-label="Loading" mx="auto" display="block" my="xl" />
      )}
      {found.data && rows.length === 0 && <NoSessions status={status} />}
      {rows.length > 0 && (
        <div className={classes.timeline}>
          <VirtualList
            rows={rows}
            keyOf={(row) => ("session" in row ? row.session.id : row.day)}
            estimate={(row) => ("session" in row ? 62 : 56)}
            onNearEnd={nearEnd}
            renderRow={(row) =>
              "session" in row ? (
                <SessionRow session={row.session} projectId={project.id} />
              ) : (
                <h2 className={`${classes.day} ${row.first ? classes.firstDay : ""}`}>{row.day}</h2>
              )
            }
          />
          {found.isFetchingNextPage && (
            <Loader size="sm" role="status" aria-label="Loading more" mx="auto" display="block" my="md" />
          )}
        </div>
      )}
    </Page>
  );
}
