import { Loader, SegmentedControl, Text } from "@mantine/core";
import { IconTimeline } from "@tabler/icons-react";
import { useCallback, useMemo } from "react";
import { Link, useSearchParams } from "wouter";
import { usePages } from "~/api/hooks";
import { Code } from "~/parts/Copy";
import { Empty, Page, Problem } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { amount, dateTime } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { Long } from "./Long";
import classes from "./sessions.module.css";
import {
  dayOf,
  sourceName,
  span,
  STATUS_TONE,
  STATUS_WHY,
  STATUSES,
  timeOfDay,
  type Entry,
  type SessionStatus,
} from "./words";

const PAGE = 250;

type Row = { day: string; first: boolean } | { session: Entry };

/** Each day's sessions under its name. */
function byDay(sessions: Entry[]): Row[] {
  const rows: Row[] = [];
  let day = "";
  for (const session of sessions) {
    const its = dayOf(session.createdAt);
    if (its !== day) rows.push({ day: its, first: day === "" });
    day = its;
    rows.push({ session });
  }
  return rows;
}

function lasted(session: Entry): string {
  if (session.completedAt === null) return "still open";
  return `lasted ${span(Date.parse(session.completedAt) - Date.parse(session.createdAt))}`;
}

function SessionRow({ session, projectId }: { session: Entry; projectId: string }) {
  const events = amount(session.eventCount, "event");
  const facts = [
    session.source ? events : null,
    session.itemsExtracted === undefined ? null : amount(session.itemsExtracted, "item"),
    lasted(session),
  ].filter(Boolean);
  return (
    <Link href={`/p/${projectId}/sessions/${session.id}`} className={classes.row}>
      <time dateTime={session.createdAt} title={dateTime(session.createdAt)} className={classes.at}>
        {timeOfDay(session.createdAt)}
      </time>
      <span className={classes.dot} data-status={session.status} aria-hidden />
      <span className={classes.rowBody}>
        <span className={classes.rowTitle}>{session.source ? sourceName(session.source) : events}</span>
        <Text span size="sm" c="dimmed">
          {facts.join(" · ")}
        </Text>
      </span>
      <Tag tone={STATUS_TONE[session.status]} title={STATUS_WHY[session.status]}>
        {session.status === "enriching" && <Loader size={10} color="currentColor" aria-hidden />}
        {session.status}
      </Tag>
    </Link>
  );
}

function Nothing({ status }: { status: SessionStatus | null }) {
  if (status)
    return (
      <Empty icon={<IconTimeline size={40} />} title={`No session is ${status}`}>
        {STATUS_WHY[status]}: none is in that state now.
      </Empty>
    );
  return (
    <Empty icon={<IconTimeline size={40} />} title="No session has been captured yet">
      <Text size="sm" mb="sm">
        A session is what an agent did in one go: its summary, the commits, what it found. It appears here by
        itself once an agent is connected.
      </Text>
      <Code label="Copy the command">loremark install</Code>
    </Empty>
  );
}

export default function Sessions() {
  const project = useProject();
  const [search, setSearch] = useSearchParams();
  const wanted = search.get("status");
  const status = STATUSES.find((one) => one === wanted) ?? null;
  const query = { projectId: project.id, limit: PAGE, detail: true, ...(status ? { status } : {}) };
  const found = usePages("/api/v2/sessions", { query }, { keep: true });
  const rows = useMemo(
    () => byDay((found.data?.pages ?? []).flatMap((page) => page.data as Entry[])),
    [found.data],
  );
  const { hasNextPage, isFetching, fetchNextPage } = found;
  const nearEnd = useCallback(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const choose = (chosen: string) => setSearch(chosen === "all" ? {} : { status: chosen }, { replace: true });
  return (
    <Page title="Sessions" about="What agents and people told this project, day by day.">
      <div className={classes.filter}>
        <SegmentedControl
          role="radiogroup"
          aria-label="Which sessions"
          size="sm"
          classNames={{ label: classes.choice }}
          value={status ?? "all"}
          onChange={choose}
          data={[
            { value: "all", label: "All" },
            ...STATUSES.map((one) => ({ value: one, label: one[0]!.toUpperCase() + one.slice(1) })),
          ]}
        />
      </div>
      {found.error && !found.data && <Problem error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Loader size="sm" aria-label="Loading" mx="auto" display="block" my="xl" />}
      {found.data && rows.length === 0 && <Nothing status={status} />}
      {rows.length > 0 && (
        <div className={classes.timeline}>
          <Long
            rows={rows}
            keyOf={(row) => ("session" in row ? row.session.id : row.day)}
            estimate={(row) => ("session" in row ? 62 : 56)}
            nearEnd={nearEnd}
            show={(row) =>
              "session" in row ? (
                <SessionRow session={row.session} projectId={project.id} />
              ) : (
                <h2 className={`${classes.day} ${row.first ? classes.firstDay : ""}`}>{row.day}</h2>
              )
            }
          />
          {found.isFetchingNextPage && (
            <Loader size="sm" aria-label="Loading more" mx="auto" display="block" my="md" />
          )}
        </div>
      )}
    </Page>
  );
}
