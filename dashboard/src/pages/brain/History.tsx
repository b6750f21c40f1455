import { Button, Checkbox, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useGet, useGetPages } from "~/api/hooks";
import type { components } from "~/api/schema";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { formatNumber, formatDateTime, RelativeTime } from "~/parts/format";
import type { BrainQuery } from "./Brain";
import classes from "./tabs.module.css";

type BrainVersion = components["schemas"]["BrainHistoryEntry"];

const EPOCH = "1970-01-01T00:00:00Z";

function describeChanges({ added, changed, removed }: BrainVersion): string {
  const parts = [
    added > 0 ? `${formatNumber(added)} added` : "",
    changed > 0 ? `${formatNumber(changed)} changed` : "",
    removed > 0 ? `${formatNumber(removed)} removed` : "",
  ].filter(Boolean);
  return parts.join(", ") || "changed";
}

interface ComparisonProps {
  query: BrainQuery;
  from: string;
  /** Null for the current version. */
  to: string | null;
}

/** The diff between two versions of the document. */
function Comparison({ query, from, to }: ComparisonProps) {
  const before = useGet("/api/v2/brain/snapshot", { query: { ...query, at: from } }, { keepPrevious: true });
  const then = useGet(
    "/api/v2/brain/snapshot",
    { query: { ...query, at: to ?? EPOCH } },
    { keepPrevious: true, enabled: to !== null },
  );
  const now = useGet("/api/v2/brain", { query }, { keepPrevious: true, enabled: to === null });
  const after = to === null ? now : then;
  return (
    <Loaded query={before}>
      {(older) => (
        <Loaded query={after}>
          {(newer) =>
            older.markdown === newer.markdown ? (
              <Text size="sm" c="dimmed">
                No differences. The changes did not fit into {formatNumber(query.tokenBudget)} tokens or were
                reverted.
              </Text>
            ) : (
              <div className={classes.changes}>
                <Diff before={older.markdown} after={newer.markdown} label="Document changes" />
              </div>
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

function VersionRow({
  version,
  selected,
  toggle,
}: {
  version: BrainVersion;
  selected: boolean;
  toggle: () => void;
}) {
  return (
    <li className={classes.version} data-selected={selected || undefined}>
      <Checkbox
        checked={selected}
        onChange={toggle}
        label={formatDateTime(version.at)}
        description={
          <>
            <RelativeTime at={version.at} /> · {describeChanges(version)}
          </>
        }
      />
      {version.titles.length > 0 && (
        <Text size="sm" c="dimmed" className={classes.titles}>
          {version.titles.join(" · ")}
        </Text>
      )}
    </li>
  );
}

/** Past versions of the document, with a diff between any two. */
export function History({ query }: { query: BrainQuery }) {
  const pages = useGetPages("/api/v2/brain/history", { query: { projectId: query.projectId, limit: 20 } });
  const versions = pages.data?.pages.flatMap((page) => page.data);
  const [selection, setSelection] = useState<string[] | null>(null);
  const [against, setAgainst] = useState("before");
  return (
    <Loaded query={{ data: versions, error: pages.error, refetch: pages.refetch }}>
      {(all) => {
        if (all.length === 0)
          return (
            <Text c="dimmed" size="sm">
              No versions yet. A version is listed here each time approved memories change.
            </Text>
          );
        const selected = (selection ?? [all[0]!.at])
          .filter((at) => all.some((version) => version.at === at))
          .toSorted();
        const toggle = (at: string) =>
          setSelection(
            selected.includes(at) ? selected.filter((other) => other !== at) : [...selected.slice(-1), at],
          );
        const [first, second] = selected;
        const older = all[all.findIndex((version) => version.at === first) + 1]?.at ?? EPOCH;
        const [from, to] = second
          ? [first, second]
          : against === "now"
            ? [first, null]
            : [older, first ?? null];
        return (
          <div className={classes.history}>
            <div>
              <Text size="sm" mb="xs">
                Select one version, or two to compare.
              </Text>
              <ol className={classes.versions} aria-label="Versions" tabIndex={0}>
                {all.map((version) => (
                  <VersionRow
                    key={version.at}
                    version={version}
                    selected={selected.includes(version.at)}
                    toggle={() => toggle(version.at)}
                  />
                ))}
              </ol>
              {pages.hasNextPage && (
                <Button
                  fullWidth
                  mt="xs"
                  variant="default"
                  loading={pages.isFetchingNextPage}
                  onClick={() => void pages.fetchNextPage()}
                >
                  Earlier versions
                </Button>
              )}
            </div>
            <Stack gap="sm" miw={0}>
              {first && !second && (
                <SegmentedControl
                  aria-label="Compare with"
                  value={against}
                  onChange={setAgainst}
                  data={[
                    { value: "before", label: "Previous version" },
                    { value: "now", label: "Current version" },
                  ]}
                />
              )}
              {first && second && (
                <Text size="sm">
                  From {formatDateTime(first)} to {formatDateTime(second)}
                </Text>
              )}
              {first ? (
                <Comparison query={query} from={from ?? EPOCH} to={to ?? null} />
              ) : (
                <Text size="sm" c="dimmed">
                  Select a version to see its changes.
                </Text>
              )}
              <Text size="xs" c="dimmed">
                All versions use a budget of {formatNumber(query.tokenBudget)} tokens. Permanently deleted
                memories do not appear in any version.
              </Text>
            </Stack>
          </div>
        );
      }}
    </Loaded>
  );
}
