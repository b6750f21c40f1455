import { Button, Group, Text } from "@mantine/core";
import { IconCheck, IconPlayerPlay, IconRefresh, IconSparkles, IconTrash } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { invalidate, queryKey, useSend } from "~/api/hooks";
import type { Session } from "~/api/types";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { pluralize } from "~/parts/format";
import { useCanWrite, useProject } from "~/shell/project";

const SESSIONS = "/api/v2/sessions";
const SESSION = "/api/v2/sessions/{id}";

/** Session changes, applied optimistically and rolled back on error. */
function useSessionChange(session: Session) {
  const cache = useQueryClient();
  const path = { id: session.id };
  const key = queryKey(SESSION, { path });
  const setOptimistic = (status: Session["status"]) => {
    cache.setQueryData<Session>(key, (known) => known && { ...known, status });
    return { onError: () => cache.setQueryData<Session>(key, session) };
  };
  const options = { invalidates: [SESSIONS] };
  const enrich = useSend("post", "/api/v2/sessions/{id}/enrich", options);
  const retry = useSend("post", "/api/v2/sessions/{id}/retry", options);
  const update = useSend("patch", SESSION, options);
  return {
    busy: enrich.isPending || retry.isPending || update.isPending,
    enrich: () => enrich.mutate({ path }, setOptimistic("enriching")),
    retry: () => retry.mutate({ path }, setOptimistic("enriching")),
    setStatus: (status: "active" | "completed") =>
      update.mutate({ path, body: { status } }, setOptimistic(status)),
  };
}

/** Deletes the session after a confirmation, and returns to the list. */
function DeleteSession({ session }: { session: Session }) {
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState(false);
  const cache = useQueryClient();
  const remove = useSend("delete", SESSION);
  const confirm = () =>
    remove.mutateAsync({ path: { id: session.id } }).then(
      () => {
        // First, because this page would otherwise refetch a session that is gone.
        navigate(`/p/${session.projectId}/sessions`);
        return invalidate(cache, (path) => path.startsWith(SESSIONS) || path.startsWith("/api/v2/items"));
      },
      () => setOpened(false),
    );
  return (
    <>
      <Button
        px="sm"
        variant="subtle"
        color="red"
        leftSection={<IconTrash size={16} />}
        onClick={() => setOpened(true)}
      >
        Delete session
      </Button>
      <ConfirmDialog
        opened={opened}
        title="Delete this session?"
        confirmLabel="Delete session"
        busy={remove.isPending}
        onConfirm={() => void confirm()}
        onClose={() => setOpened(false)}
      >
        This permanently deletes its {pluralize(session.eventCount, "event")} and the drafts based only on it.
        Approved memories are kept, but lose their quotes from this session.
      </ConfirmDialog>
    </>
  );
}

/** The actions available for a session in its current status. */
export function SessionActions({ session }: { session: Session }) {
  const archived = useProject().status !== "active";
  const canWrite = useCanWrite();
  const change = useSessionChange(session);
  if (!canWrite)
    return (
      <Text size="xs" c="dimmed" mt="sm">
        {archived ? "This project is archived and read-only." : "You have read-only access."}
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
          title={empty ? "There are no events to enrich" : undefined}
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
          Reopen
        </Button>
      )}
      {status === "enriching" ? (
        <Text size="sm" c="dimmed" role="status">
          Enriching… This page updates automatically.
        </Text>
      ) : (
        <DeleteSession session={session} />
      )}
    </Group>
  );
}
