import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useGetPages } from "~/api/hooks";
import type { Revision } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { RelativeTime } from "~/parts/format";
import { useAuthorLabel } from "~/shell/authors";
import { useContextActions, useCanChange } from "./contexts";
import type { Node } from "./contextTree";
import classes from "./detail.module.css";

/** Labels by change type. */
const CHANGE_LABELS: Record<string, string> = {
  created: "created",
  edited: "edited",
  moved: "moved",
  approved: "approved",
  deprecated: "deprecated",
  compacted: "compacted",
  reverted: "reverted to an earlier version",
  populated: "updated in bulk",
  enriched: "updated from a session",
  scanned: "updated by a scan",
  proposed: "new text proposed",
  kept: "approved text kept",
};

/** A revision as text, for diffs. */
function toText({ snapshot }: Revision): string {
  const field = (name: string) =>
    typeof snapshot[name] === "string" || typeof snapshot[name] === "number" ? String(snapshot[name]) : "";
  const lines = [
    `Name: ${field("name")}`,
    ...(field("description") ? [`Description: ${field("description")}`] : []),
    `Status: ${field("state")}`,
    `Brain layer: ${field("tier")}`,
    ...(field("contextType") ? [`Type: ${field("contextType")}`] : []),
    ...(field("parentContextId") ? [`Parent: ${field("parentContextId")}`] : []),
    "",
    field("content"),
  ];
  return `${lines.join("\n")}\n`;
}

function RevisionDiff({ revision, before }: { revision: Revision; before: Revision | undefined }) {
  const was = before ? toText(before) : "";
  const is = toText(revision);
  if (was === is)
    return (
      <Text size="sm" c="dimmed">
        No text changes in this version.
      </Text>
    );
  return <Diff before={was} after={is} label={`Changes in version ${revision.version}`} />;
}

interface RevisionRowProps {
  revision: Revision;
  before: Revision | undefined;
  who: string;
  shown: boolean;
  toggle: () => void;
  revert: (() => void) | undefined;
}

function RevisionRow({ revision, before, who, shown, toggle, revert }: RevisionRowProps) {
  return (
    <li className={classes.revision}>
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm" fw={550} component="span">
            Version {revision.version}
          </Text>{" "}
          <Text size="sm" c="dimmed" component="span">
            {lookup(CHANGE_LABELS, revision.change) ?? revision.change} {who}{" "}
            <RelativeTime at={revision.createdAt} />
          </Text>
        </div>
        <Group gap={4}>
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={shown}
            aria-label={`Show changes in version ${revision.version}`}
            onClick={toggle}
          >
            {shown ? "Hide" : "Changes"}
          </Button>
          {revert && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Revert to version ${revision.version}`}
              onClick={revert}
            >
              Revert
            </Button>
          )}
        </Group>
      </Group>
      {shown && <RevisionDiff revision={revision} before={before} />}
    </li>
  );
}

/** A context's version history, with diffs and revert. */
export function Revisions({ node }: { node: Node }) {
  const { context } = node;
  const nameOf = useAuthorLabel();
  const actions = useContextActions(context);
  const canChange = useCanChange()(context);
  const [shown, setShown] = useState<number | null>(null);
  const pages = useGetPages("/api/contexts/{id}/revisions", {
    path: { id: context.id },
    query: { limit: 25 },
  });
  const all = pages.data?.pages.flatMap((page) => page.data);
  return (
    <Loaded query={{ data: all, error: pages.error, refetch: pages.refetch }}>
      {(known) => (
        <Stack gap="sm" align="stretch">
          <ol className={classes.revisions} aria-label="Versions">
            {known.map((revision, at) => (
              <RevisionRow
                key={revision.version}
                revision={revision}
                before={known[at + 1]}
                who={nameOf(revision.actorId)}
                shown={shown === revision.version}
                toggle={() => {
                  if (at === known.length - 1 && pages.hasNextPage) void pages.fetchNextPage();
                  setShown(shown === revision.version ? null : revision.version);
                }}
                revert={canChange && at > 0 ? () => void actions.revert(revision.version) : undefined}
              />
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
          <Text size="xs" c="dimmed">
            Reverting does not change the status or the parent. To accept a proposed text, revert to its
            version.
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}
