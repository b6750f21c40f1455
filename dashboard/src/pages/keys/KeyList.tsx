import { Button, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import { useGet, useGetPages, useSend } from "~/api/hooks";
import { EmptyState, Loaded } from "~/parts/Page";
import { RelativeTime } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { useMe } from "~/shell/login";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { useProjects } from "~/shell/project";
import { describeLimits, type Entry } from "./limits";
import classes from "./keys.module.css";

function RevokeDialog({
  entry,
  owner,
  onClose,
}: {
  entry: Entry | null;
  owner: string;
  onClose: () => void;
}) {
  const revoke = useSend("delete", "/api/keys", { invalidates: ["/api/keys"] });
  const onConfirm = () => {
    if (!entry) return;
    revoke.mutate(
      { body: { keyId: entry.id } },
      {
        onSuccess: () => {
          showSuccess(`Key ${entry.name} revoked.`);
          onClose();
        },
      },
    );
  };
  return (
    <ConfirmDialog
      opened={entry !== null}
      title={`Revoke key ${entry?.name ?? ""}?`}
      confirmLabel="Revoke"
      busy={revoke.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      Anything that uses {owner} key <b>{entry?.name}</b> immediately loses access; events captured in the
      meantime are sent once a new key is set up. A machine that also has a project's signing secret can still
      send events; to stop it, rotate the secret in Project settings. This can't be undone, but you can create
      a new key any time.
    </ConfirmDialog>
  );
}

/** API keys, newest first: the user's own, or the whole team's. */
export function KeyList({ team }: { team: boolean }) {
  const me = useMe();
  const keys = useGetPages("/api/keys", {
    query: { limit: 100, ...(team ? { include: "team" as const } : {}) },
  });
  const members = useGet("/api/team", {}, { enabled: team });
  const projects = useProjects();
  const projectName = (id: string) => projects.data?.find((one) => one.id === id)?.name ?? "one project";
  const [revoking, setRevoking] = useState<Entry | null>(null);
  const membersById = new Map(
    (members.data ?? []).map((member) => ["userId" in member ? member.userId : "", member]),
  );
  const ownerName = (entry: Entry) => {
    if (!("userId" in entry) || entry.userId === me.userId) return "you";
    const member = membersById.get(entry.userId);
    return member && "name" in member ? member.name : "a former member";
  };
  const entries = keys.data?.pages.flatMap((page) => page.data);
  return (
    <Loaded query={{ data: entries, error: keys.error, refetch: keys.refetch }}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon={<IconKey size={36} />} title="No API keys yet">
            An API key lets an agent, a script or the CLI act as you. Create one, then connect an agent below.
          </EmptyState>
        ) : (
          <>
            <ul className={classes.list} aria-label={team ? "Team keys" : "Your keys"}>
              {all.map((entry) => (
                <li key={entry.id} className={classes.entry}>
                  <div>
                    <Text fw={600} truncate title={entry.name}>
                      {entry.name}
                    </Text>
                    <Text size="xs" c="dimmed" className={classes.mono}>
                      {entry.prefix}…
                    </Text>
                    {describeLimits(entry, projectName) && (
                      <Text size="xs" c="dimmed">
                        {describeLimits(entry, projectName)}
                      </Text>
                    )}
                  </div>
                  <Text size="sm" c="dimmed" truncate>
                    {team ? (
                      `acts as ${ownerName(entry)}`
                    ) : (
                      <>
                        created <RelativeTime at={entry.createdAt} />
                      </>
                    )}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {entry.lastUsed ? (
                      <>
                        last used <RelativeTime at={entry.lastUsed} />
                      </>
                    ) : (
                      "never used"
                    )}
                  </Text>
                  <Button
                    variant="default"
                    size="xs"
                    h={36}
                    onClick={() => setRevoking(entry)}
                    aria-label={`Revoke key ${entry.name}`}
                  >
                    Revoke
                  </Button>
                </li>
              ))}
            </ul>
            {keys.hasNextPage && (
              <Button
                variant="default"
                mt="sm"
                loading={keys.isFetchingNextPage}
                onClick={() => void keys.fetchNextPage()}
              >
                Show more
              </Button>
            )}
            <RevokeDialog
              entry={revoking}
              owner={revoking && ownerName(revoking) !== "you" ? `${ownerName(revoking)}'s` : "your"}
              onClose={() => setRevoking(null)}
            />
          </>
        )
      }
    </Loaded>
  );
}
