import { Anchor, Loader, Text } from "@mantine/core";
import { IconArrowLeft, IconTimeline } from "@tabler/icons-react";
import { Link, useParams } from "wouter";
import { useGet } from "~/api/hooks";
import type { Session as Shown } from "~/api/types";
import { Copy } from "~/parts/Copy";
import { Empty, Loaded, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { amount, dateTime } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { Actions } from "./actions";
import { Events, useEvents } from "./Events";
import { Learnt } from "./Learnt";
import { asText, type Payload } from "./payload";
import { Pipeline } from "./Pipeline";
import classes from "./sessions.module.css";
import { sourceName, span, STATUS_TONE, STATUS_WHY } from "./words";

function Facts({ session, source }: { session: Shown; source: string }) {
  const lasted = session.completedAt
    ? `lasted ${span(Date.parse(session.completedAt) - Date.parse(session.createdAt))}`
    : "still open";
  return (
    <span className={classes.aboutRow}>
      <Tag tone={STATUS_TONE[session.status]} title={STATUS_WHY[session.status]}>
        {session.status === "enriching" && <Loader size={10} color="currentColor" aria-hidden />}
        {session.status}
      </Tag>
      {source && <span>{sourceName(source)}</span>}
      <span>{amount(session.eventCount, "event")}</span>
      <span>{amount(session.itemsExtracted, "item")}</span>
      <span>{lasted}</span>
      <span className={classes.id}>
        <code>{session.id}</code>
        <Copy text={session.id} label="Copy the session's id" />
      </span>
    </span>
  );
}

function Whole({ session }: { session: Shown }) {
  const of = useEvents(session);
  const source = asText((of.events[0]?.payload as Payload | undefined)?.["source"]);
  return (
    <Page
      wide
      title={`Session of ${dateTime(session.createdAt)}`}
      about={<Facts session={session} source={source} />}
    >
      <div className={classes.columns}>
        <div className={classes.side}>
          <Pipeline session={session}>
            <Actions session={session} />
          </Pipeline>
          <Learnt session={session} />
        </div>
        <section className={classes.main} aria-labelledby="events">
          <h2 className={classes.panelTitle} id="events">
            Events
          </h2>
          <Events session={session} of={of} />
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
        <Empty icon={<IconTimeline size={40} />} title="There is no such session">
          It belongs to another project, or went with one.
        </Empty>
      ) : (
        <Loaded of={session}>{(found) => <Whole key={found.id} session={found} />}</Loaded>
      )}
    </>
  );
}
