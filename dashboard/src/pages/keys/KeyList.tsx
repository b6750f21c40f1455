import { Button, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useState } from "react";
import type { Answer } from "~/api/client";
import { useGet, usePages, useSend } from "~/api/hooks";
import { Empty, Loaded } from "~/parts/Page";
import { Time } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import { useMe } from "~/shell/login";
import { Confirm } from "./Confirm";
import classes from "./keys.module.css";

type Entry = Answer<"/api/keys", "get">[number];

function Revoke({ entry, whose, onClose }: { entry: Entry | null; whose: string; onClose: () => void }) {
  const end = useSend("delete", "/api/keys", { touches: ["/api/keys"] });
  const act = () => {
    if (!entry) return;
    end.mutate(
      { body: { keyId: entry.id } },
      {
        onSuccess: () => {
          showDone(`The key ${entry.name} has ended.`);
          onClose();
        },
      },
    );
  };
  return (
    <Confirm
      opened={entry !== null}
      title={`End the key ${entry?.name ?? ""}?`}
      act="End it"
      busy={end.isPending}
      onAct={act}
      onClose={onClose}
    >
      Whatever uses {whose} key <b>{entry?.name}</b> is refused from this moment on. Agents keep what they
      have captured and send it when they have a key again. This cannot be taken back; a new key can be made
      at any time.
    </Confirm>
  );
}

/** Keys, newest first; ``team``: of everybody, with their names. */
export function KeyList({ team }: { team: boolean }) {
  const me = useMe();
  const keys = usePages("/api/keys", {
    query: { limit: 100, ...(team ? { include: "team" as const } : {}) },
  });
  const people = useGet("/api/team", {}, { enabled: team });
  const [ending, setEnding] = useState<Entry | null>(null);
  const names = new Map((people.data ?? []).map((one) => ["userId" in one ? one.userId : "", one]));
  const ownerOf = (entry: Entry) => {
    if (!("userId" in entry) || entry.userId === me.userId) return "you";
    const found = names.get(entry.userId);
    return found && "name" in found ? found.name : "somebody";
  };
  const entries = keys.data?.pages.flatMap((page) => page.data);
  return (
    <Loaded of={{ data: entries, error: keys.error, refetch: keys.refetch }}>
      {(all) =>
        all.length === 0 ? (
          <Empty icon={<IconKey size={36} />} title="No keys yet">
            A key lets an agent, a script or the command line act as you. Make one, and connect an agent
            below.
          </Empty>
        ) : (
          <>
            <ul className={classes.list} aria-label={team ? "Keys of the team" : "Your keys"}>
              {all.map((entry) => (
                <li key={entry.id} className={classes.entry}>
                  <div>
                    <Text fw={600} truncate title={entry.name}>
                      {entry.name}
                    </Text>
                    <Text size="xs" c="dimmed" className={classes.mono}>
                      {entry.prefix}…
                    </Text>
                  </div>
                  <Text size="sm" c="dimmed" truncate>
                    {team ? (
                      `acts as ${ownerOf(entry)}`
                    ) : (
                      <>
                        made <Time at={entry.createdAt} />
                      </>
                    )}
                  </Text>
                  <Text size="sm" c="dimmed">
                    {entry.lastUsed ? (
                      <>
                        last used <Time at={entry.lastUsed} />
                      </>
                    ) : (
                      "never used"
                    )}
                  </Text>
                  <Button
                    variant="default"
                    size="xs"
                    h={36}
                    onClick={() => setEnding(entry)}
                    aria-label={`End the key ${entry.name}`}
                  >
                    End
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
            <Revoke
              entry={ending}
              whose={ending && ownerOf(ending) !== "you" ? `${ownerOf(ending)}'s` : "your"}
              onClose={() => setEnding(null)}
            />
          </>
        )
      }
    </Loaded>
  );
}
