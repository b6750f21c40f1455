import { Text } from "@mantine/core";
import {
  IconBinaryTree2,
  IconBrandGit,
  IconBulb,
  IconDeviceFloppy,
  IconQuestionMark,
  IconScan,
  type Icon,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { memo, useMemo, useState } from "react";
import { call, type ApiError } from "~/api/client";
import type { SessionEvent } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { eventName, sourceName } from "~/parts/names";
import { ErrorAlert } from "~/parts/Page";
import { formatDateTime } from "~/parts/format";
import { GitDigest } from "./GitDigest";
import { asText, type Payload } from "./payload";
import { SessionSave } from "./SessionSave";
import classes from "./events.module.css";
import { OtherFields, LargeText } from "./PayloadFields";
import { ContextUpdate, MemoryOperation, ScanResult } from "./EventBodies";
import { timeOfDay } from "./format";

const ICONS: Record<string, Icon> = {
  session_save: IconDeviceFloppy,
  git_digest: IconBrandGit,
  scan_result: IconScan,
  context_update: IconBinaryTree2,
  memory_operation: IconBulb,
};

function EventBody({ event, payload, projectId }: { event: string; payload: Payload; projectId: string }) {
  switch (event) {
    case "session_save":
      return <SessionSave payload={payload} />;
    case "git_digest":
      return <GitDigest payload={payload} />;
    case "scan_result":
      return <ScanResult payload={payload} />;
    case "context_update":
      return <ContextUpdate payload={payload} />;
    case "memory_operation":
      return <MemoryOperation payload={payload} projectId={projectId} />;
    default:
      return <OtherFields payload={payload} name="Fields" />;
  }
}

interface Props {
  event: SessionEvent;
  /** Id of the preceding event; used as the cursor to fetch this event alone. */
  previousId: string | null;
  sessionId: string;
  projectId: string;
}

/** The event's payload including large texts. Events are immutable, so the response is cached for good. */
function useFullPayload({ event, previousId, sessionId }: Props, requested: boolean) {
  return useQuery<Payload, ApiError>({
    queryKey: ["full event", event.id],
    enabled: requested,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const [found] = await call("get", "/api/v2/sessions/{id}/events", {
        path: { id: sessionId },
        query: { blobs: "inline", limit: 1, ...(previousId ? { cursor: previousId } : {}) },
        signal,
      });
      return (found?.id === event.id ? found.payload : event.payload) as Payload;
    },
  });
}

export const EventCard = memo(function EventCard(props: Props) {
  const { event, projectId } = props;
  const [requested, setRequested] = useState(false);
  const full = useFullPayload(props, requested);
  const payload = (full.data ?? event.payload) as Payload;
  const name = eventName(event.event);
  const EventIcon = lookup(ICONS, event.event) ?? IconQuestionMark;
  const largeText = useMemo(
    () => ({ fetch: () => setRequested(true), busy: full.isFetching }),
    [full.isFetching],
  );
  const source = asText(payload["source"]);
  return (
    <article className={classes.event} aria-label={`${name}, ${timeOfDay(event.createdAt)}`}>
      <span className={classes.eventIcon} aria-hidden>
        <EventIcon size={16} stroke={1.7} />
      </span>
      <div className={classes.card}>
        <header className={classes.cardHead}>
          <h3 className={classes.kind}>{name}</h3>
          <Text span size="xs" c="dimmed">
            <time dateTime={event.createdAt} title={formatDateTime(event.createdAt)}>
              {timeOfDay(event.createdAt)}
            </time>
            {source && ` · ${sourceName(source)}`}
          </Text>
        </header>
        {full.error && <ErrorAlert error={full.error} retry={() => void full.refetch()} />}
        <LargeText.Provider value={largeText}>
          <EventBody event={event.event} payload={payload} projectId={projectId} />
        </LargeText.Provider>
      </div>
    </article>
  );
});
