import { Button, Group, Select, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "~/api/client";
import { invalidate, useGetPages } from "~/api/hooks";
import { updateCached } from "~/api/items";
import type { Item, Revision } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { formatDateTime, RelativeTime } from "~/parts/format";
import { showError, showUndo } from "~/parts/toast";
import { useAuthorLabel } from "~/shell/authors";
import { toText } from "./draft";
import classes from "./item.module.css";

/** Labels by change type. */
const CHANGE_LABELS: Record<string, string> = {
  created: "created",
  edited: "edited",
  approved: "approved",
  deprecated: "deprecated",
  draft: "moved to drafts",
  flagged: "flags changed",
  merged: "merged",
  "merged branch": "branch merged",
  reverted: "reverted to an earlier version",
  enriched: "enriched",
  hygiene: "hygiene suggestion applied",
  imported: "imported",
  proposed: "proposed",
  superseded: "superseded",
  "current again": "current again: the newer item is no longer in use",
  rescanned: "updated by a scan",
  "read again": "replaced after a language model read the session",
};

const revisionText = (revision: Revision) => toText(revision.snapshot as unknown as Item);

interface ComparisonProps {
  all: Revision[];
  from: number;
  to: number;
  choose: (from: number, to: number) => void;
}

function Comparison({ all, from, to, choose }: ComparisonProps) {
  const older = all.find(({ version }) => version === from);
  const newer = all.find(({ version }) => version === to);
  const data = all.map((revision) => ({
    value: String(revision.version),
    label: `Version ${revision.version}, ${formatDateTime(revision.createdAt)}`,
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
      {older && newer && revisionText(older) !== revisionText(newer) ? (
        <Diff
          before={revisionText(older)}
          after={revisionText(newer)}
          label={`Changes from version ${from} to version ${to}`}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {from === to ? "Select two different versions to compare." : "No differences."}
        </Text>
      )}
    </Stack>
  );
}

/** An item's version history, with diffs and revert. */
export function Revisions({ item, canWrite }: { item: Item; canWrite: boolean }) {
  const cache = useQueryClient();
  const nameOf = useAuthorLabel();
  const pages = useGetPages("/api/v2/items/{id}/revisions", { path: { id: item.id }, query: { limit: 50 } });
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
      updateCached(cache, new Map([[item.id, now]]));
      setPair(null);
      await invalidate(cache, (address) => address.startsWith("/api/v2/items/{id}"));
      if (!quiet) showUndo(`Reverted to version ${version}.`, () => void revert(before, true));
    } catch (error) {
      showError(error as Error);
    } finally {
      setBusy(0);
    }
  };
  return (
    <Loaded query={{ data: all, error: pages.error, refetch: pages.refetch }}>
      {(known) => {
        const newest = known[0]?.version ?? 1;
        const [from, to] = pair ?? [known[1]?.version ?? newest, newest];
        return (
          <Stack gap="md">
            {known.length > 1 && (
              <Comparison all={known} from={from} to={to} choose={(a, b) => setPair([a, b])} />
            )}
            <ol className={classes.revisions} aria-label="Versions">
              {known.map((revision, index) => (
                <li key={revision.version} className={classes.revision}>
                  <div className={classes.revisionMain}>
                    <Text size="sm" fw={550}>
                      Version {revision.version}
                    </Text>
                    <Text size="sm" c="dimmed">
                      {lookup(CHANGE_LABELS, revision.change) ?? revision.change} {nameOf(revision.actorId)}{" "}
                      <RelativeTime at={revision.createdAt} />
                    </Text>
                  </div>
                  <Group gap={4}>
                    {known[index + 1] && (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={`Show changes in version ${revision.version}`}
                        onClick={() => setPair([known[index + 1]!.version, revision.version])}
                      >
                        Changes
                      </Button>
                    )}
                    {canWrite && index > 0 && (
                      <Button
                        size="compact-sm"
                        variant="default"
                        loading={busy === revision.version}
                        aria-label={`Revert to version ${revision.version}`}
                        onClick={() => void revert(revision.version)}
                      >
                        Revert
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
