import { Anchor, Loader, Text } from "@mantine/core";
import { IconArrowLeft, IconTimeline } from "@tabler/icons-react";
import { Link, useParams } from "wouter";
import { useGet } from "~/api/hooks";
import type { Session as SessionData } from "~/api/types";
import { CopyIconButton } from "~/parts/Copy";
import { sourceName } from "~/parts/names";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { pluralize, formatDateTime } from "~/parts/format";
import { useProject } from "~/shell/project";
import { SessionActions } from "./SessionActions";
import { Events, useEvents } from "./Events";
import { SessionItems } from "./SessionItems";
import { asText, type Payload } from "./payload";
import { Pipeline } from "./Pipeline";
import classes from "./sessions.module.css";
import { formatDuration, STATUS_TONE, STATUS_DESCRIPTION } from "./format";

function SessionFacts({ session, source }: { session: SessionData; source: string }) {
  const lasted = session.completedAt
    ? `lasted ${formatDuration(Date.parse(session.completedAt) - Date.parse(session.createdAt))}`
    : "in progress";
  return (
    <span className={classes.facts}>
      <Tag tone={STATUS_TONE[session.status]} title={STATUS_DESCRIPTION[session.status]}>
        {session.status === "enriching" && <Loader size={10} color="currentColor" aria-hidden />}
        {session.status}
      </Tag>
      {source && <span>{sourceName(source)}</span>}
      <span>{pluralize(session.eventCount, "event")}</span>
      <span>{pluralize(session.itemsExtracted, "memory", "memories")}</span>
      <span>{lasted}</span>
      <span className={classes.id}>
        <code>{session.id}</code>
        <CopyIconButton text={session.id} label="Copy session ID" />
      </span>
    </span>
  );
}

function SessionPage({ session }: { session: SessionData }) {
  const list = useEvents(session);
  const source = asText((list.events[0]?.payload as Payload | undefined)?.["source"]);
  return (
    <Page
      wide
      title={`Session from ${formatDateTime(session.createdAt)}`}
      about={<SessionFacts session={session} source={source} />}
    >
      <div className={classes.columns}>
        <div className={classes.side}>
          <Pipeline session={session}>
            <SessionActions session={session} />
          </Pipeline>
          <SessionItems session={session} />
        </div>
        <section className={classes.main} aria-labelledby="events">
          <h2 className={classes.panelTitle} id="events">
            Events
          </h2>
          <Events session={session} list={list} />
        </section>
      </div>
    </Page>
  );
}

export default function Session() {
  const project = useProject();
  const { sessionId } = useParams<{ sessionId: string }>();
  const session = useGet("/api/v2/sessions/{id}", { path: { id: sessionId } });
  const missing = session.error?.status === 404 || (session.data && session.data.projectId !== project.id);
  return (
    <>
      <Text size="sm" mb="xs" className={classes.back}>
        <Anchor component={Link} href={`/p/${project.id}/sessions`} className={classes.backLink}>
          <IconArrowLeft size={14} aria-hidden /> All sessions
        </Anchor>
      </Text>
      {missing ? (
        <EmptyState icon={<IconTimeline size={40} />} title="Session not found">
          It belongs to another project or was deleted.
        </EmptyState>
      ) : (
        <Loaded query={session}>{(found) => <SessionPage key={found.id} session={found} />}</Loaded>
      )}
    </>
  );
}
