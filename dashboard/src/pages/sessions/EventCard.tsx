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
import { Problem } from "~/parts/Page";
import { dateTime } from "~/parts/Time";
import { Digest } from "./Digest";
import { asText, type Payload } from "./payload";
import { Save } from "./Save";
import classes from "./events.module.css";
import { Rest, Whole } from "./Shown";
import { ContextUpdate, Operation, Scan } from "./Told";
import { sourceName, timeOfDay } from "./words";

const KINDS: Record<string, { name: string; icon: Icon }> = {
  session_save: { name: "Work saved", icon: IconDeviceFloppy },
  git_digest: { name: "Commits", icon: IconBrandGit },
  scan_result: { name: "Scan result", icon: IconScan },
  context_update: { name: "Context", icon: IconBinaryTree2 },
  memory_operation: { name: "Told to the memory", icon: IconBulb },
};

function Body({ event, payload, projectId }: { event: string; payload: Payload; projectId: string }) {
  switch (event) {
    case "session_save":
      return <Save payload={payload} />;
    case "git_digest":
      return <Digest payload={payload} />;
    case "scan_result":
      return <Scan payload={payload} />;
    case "context_update":
      return <ContextUpdate payload={payload} />;
    case "memory_operation":
      return <Operation payload={payload} projectId={projectId} />;
    default:
      return <Rest payload={payload} name="Fields" />;
  }
}

interface Given {
  event: SessionEvent;
  /** The event before it: the list goes on after that one. */
  before: string | null;
  sessionId: string;
  projectId: string;
}

/** The same event with its large texts. An event never changes, so neither does the answer. */
function useWhole({ event, before, sessionId }: Given, wanted: boolean) {
  return useQuery<Payload, ApiError>({
    queryKey: ["whole event", event.id],
    enabled: wanted,
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const [found] = await call("get", "/api/v2/sessions/{id}/events", {
        path: { id: sessionId },
        query: { blobs: "inline", limit: 1, ...(before ? { cursor: before } : {}) },
        signal,
      });
      return (found?.id === event.id ? found.payload : event.payload) as Payload;
    },
  });
}

export const EventCard = memo(function EventCard(given: Given) {
  const { event, projectId } = given;
  const [wanted, setWanted] = useState(false);
  const whole = useWhole(given, wanted);
  const payload = (whole.data ?? event.payload) as Payload;
  const kind = lookup(KINDS, event.event) ?? { name: event.event, icon: IconQuestionMark };
  const fetching = useMemo(
    () => ({ fetch: () => setWanted(true), busy: whole.isFetching }),
    [whole.isFetching],
  );
  const source = asText(payload["source"]);
  return (
    <article className={classes.event} aria-label={`${kind.name}, ${timeOfDay(event.createdAt)}`}>
      <span className={classes.mark} aria-hidden>
        <kind.icon size={16} stroke={1.7} />
      </span>
      <div className={classes.card}>
        <header className={classes.cardHead}>
          <h3 className={classes.kind}>{kind.name}</h3>
          <Text span size="xs" c="dimmed">
            <time dateTime={event.createdAt} title={dateTime(event.createdAt)}>
              {timeOfDay(event.createdAt)}
            </time>
            {source && ` · ${sourceName(source)}`}
          </Text>
        </header>
        {whole.error && <Problem error={whole.error} retry={() => void whole.refetch()} />}
        <Whole.Provider value={fetching}>
          <Body event={event.event} payload={payload} projectId={projectId} />
        </Whole.Provider>
      </div>
    </article>
  );
});
