import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "~/api/client";
import { refresh, usePages } from "~/api/hooks";
import { changeCached } from "~/api/items";
import type { Item, Revision } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { dateTime, Time } from "~/parts/Time";
import { showProblem, showUndo } from "~/parts/toast";
import { useNames } from "~/shell/names";
import { asText } from "./editing";
import classes from "./item.module.css";

/** How a version came about. */
const WORDS: Record<string, string> = {
  created: "learnt",
  edited: "edited",
  approved: "approved",
  deprecated: "deprecated",
  flagged: "flags changed",
  merged: "merged",
  "merged branch": "its branch was merged",
  reverted: "gone back to an earlier version",
  enriched: "learnt more",
  imported: "imported",
};

const textOf = (revision: Revision) => asText(revision.snapshot as unknown as Item);

interface ComparedProps {
  all: Revision[];
  from: number;
  to: number;
  choose: (from: number, to: number) => void;
}

function Compared({ all, from, to, choose }: ComparedProps) {
  const older = all.find((one) => one.version === from);
  const newer = all.find((one) => one.version === to);
  const data = all.map((one) => ({
    value: String(one.version),
    label: `Version ${one.version}, ${dateTime(one.createdAt)}`,
  }));
  return (
    <Stack gap="xs">
      <Group gap="xs" grow preventGrowOverflow={false}>
        <Select
          label="From"
          data={data}
          value={String(from)}
          allowDeselect={false}
          onChange={(chosen) => chosen && choose(Number(chosen), to)}
        />
        <Select
          label="To"
          data={data}
          value={String(to)}
          allowDeselect={false}
          onChange={(chosen) => chosen && choose(from, Number(chosen))}
        />
      </Group>
      {older && newer && textOf(older) !== textOf(newer) ? (
        <Diff
          before={textOf(older)}
          after={textOf(newer)}
          label={`Changes from version ${from} to version ${to}`}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {from === to ? "The same version on both sides." : "These two say the same."}
        </Text>
      )}
    </Stack>
  );
}

/** Every state an item has had, what lies between any two, and the way back. */
export function Revisions({ item, mayWrite }: { item: Item; mayWrite: boolean }) {
  const cache = useQueryClient();
  const nameOf = useNames();
  const pages = usePages("/api/v2/items/{id}/revisions", { path: { id: item.id }, query: { limit: 50 } });
  const all = pages.data?.pages.flatMap((page) => page.data);
  const [pair, setPair] = useState<[number, number] | null>(null);
  const [busy, setBusy] = useState(0);
  const revert = async (version: number, quiet = false) => {
    const before = item.version;
    setBusy(version);
    try {
      const now = await call("post", "/api/v2/items/{id}/revert", {
        path: { id: item.id },
        body: { version },
      });
      changeCached(cache, new Map([[item.id, now]]));
      setPair(null);
      await refresh(cache, (address) => address.startsWith("/api/v2/items/{id}"));
      if (!quiet) showUndo(`Back to version ${version}`, () => void revert(before, true));
    } catch (problem) {
      showProblem(problem as Error);
    } finally {
      setBusy(0);
    }
  };
  return (
    <Loaded of={{ data: all, error: pages.error, refetch: pages.refetch }}>
      {(known) => {
        const newest = known[0]?.version ?? 1;
        const [from, to] = pair ?? [known[1]?.version ?? newest, newest];
        return (
          <Stack gap="md">
            {known.length > 1 && (
              <Compared all={known} from={from} to={to} choose={(one, other) => setPair([one, other])} />
            )}
            <ol className={classes.revisions} aria-label="Versions">
              {known.map((revision, place) => (
                <li key={revision.version} className={classes.revision}>
                  <div className={classes.revisionMain}>
                    <Text size="sm" fw={550}>
                      Version {revision.version}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {lookup(WORDS, revision.change) ?? revision.change} {nameOf(revision.actorId)}{" "}
                      <Time at={revision.createdAt} />
                    </Text>
                  </div>
                  <Group gap={4}>
                    {known[place + 1] && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`Show what changed in version ${revision.version}`}
                        onClick={() => setPair([known[place + 1]!.version, revision.version])}
                      >
                        What changed
                      </Button>
                    )}
                    {mayWrite && place > 0 && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        loading={busy === revision.version}
                        aria-label={`Go back to version ${revision.version}`}
                        onClick={() => void revert(revision.version)}
                      >
                        Go back to this
                      </Button>
                    )}
                  </Group>
                </li>
              ))}
            </ol>
            {pages.hasNextPage && (
              <Button
                variant="default"
                size="xs"
                loading={pages.isFetchingNextPage}
                onClick={() => void pages.fetchNextPage()}
              >
                Earlier versions
              </Button>
            )}
          </Stack>
        );
      }}
    </Loaded>
  );
}
