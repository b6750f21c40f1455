import { Button, Group, Text } from "@mantine/core";
import { IconCheck, IconPlayerPlay, IconRefresh, IconSparkles } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { keyOf, useSend } from "~/api/hooks";
import type { Session } from "~/api/types";
import { useMayWrite, useProject } from "~/shell/project";

const SESSIONS = "/api/v2/sessions";
const ONE = "/api/v2/sessions/{id}";

/** Changes of a session, shown at once and taken back if the server refuses. */
function useSessionChange(session: Session) {
  const cache = useQueryClient();
  const path = { id: session.id };
  const key = keyOf(ONE, { path });
  const foresee = (status: Session["status"]) => {
    cache.setQueryData<Session>(key, (known) => known && { ...known, status });
    return { onError: () => cache.setQueryData<Session>(key, session) };
  };
  const options = { touches: [SESSIONS] };
  const enrich = useSend("post", "/api/v2/sessions/{id}/enrich", options);
  const retry = useSend("post", "/api/v2/sessions/{id}/retry", options);
  const update = useSend("patch", ONE, options);
  return {
    busy: enrich.isPending || retry.isPending || update.isPending,
    enrich: () => enrich.mutate({ path }, foresee("enriching")),
    retry: () => retry.mutate({ path }, foresee("enriching")),
    setStatus: (status: "active" | "completed") => update.mutate({ path, body: { status } }, foresee(status)),
  };
}

/** What may be done with a session as it stands. */
export function Actions({ session }: { session: Session }) {
  const archived = useProject().status !== "active";
  const mayWrite = useMayWrite();
  const change = useSessionChange(session);
  if (!mayWrite)
    return (
      <Text size="xs" c="dimmed" mt="sm">
        {archived
          ? "The project is archived: its sessions can only be read."
          : "You may read this project, not change it."}
      </Text>
    );
  const { status } = session;
  const empty = session.eventCount === 0;
  return (
    <Group gap="xs" mt="md">
      {status === "failed" && (
        <Button leftSection={<IconRefresh size={16} />} onClick={change.retry} loading={change.busy}>
          Retry
        </Button>
      )}
      {(status === "active" || status === "completed") && (
        <Button
          px="sm"
          variant={status === "active" ? "filled" : "default"}
          leftSection={<IconSparkles size={16} />}
          onClick={change.enrich}
          loading={change.busy}
          disabled={empty}
          title={empty ? "There is no event to enrich" : undefined}
        >
          Enrich now
        </Button>
      )}
      {status === "active" && (
        <Button
          px="sm"
          variant="default"
          leftSection={<IconCheck size={16} />}
          onClick={() => change.setStatus("completed")}
          disabled={change.busy}
        >
          Complete
        </Button>
      )}
      {status === "completed" && (
        <Button
          px="sm"
          variant="default"
          leftSection={<IconPlayerPlay size={16} />}
          onClick={() => change.setStatus("active")}
          disabled={change.busy}
        >
          Take up again
        </Button>
      )}
      {status === "enriching" && (
        <Text size="sm" c="dimmed" role="status">
          At work. This page follows by itself.
        </Text>
      )}
    </Group>
  );
}
