import { Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { usePages } from "~/api/hooks";
import type { Revision } from "~/api/types";
import { lookup } from "~/parts/lookup";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { Time } from "~/parts/Time";
import { useNames } from "~/shell/names";
import { useActs, useMayChange } from "./contexts";
import type { Node } from "./places";
import classes from "./detail.module.css";

/** How a version came about. */
const WORDS: Record<string, string> = {
  created: "made",
  edited: "edited",
  moved: "moved",
  approved: "approved",
  deprecated: "deprecated",
  compacted: "compacted",
  reverted: "gone back to an earlier version",
  populated: "filled in",
};

/** All of a state as lines, so that two can be compared. */
function asText({ snapshot }: Revision): string {
  const of = (name: string) =>
    typeof snapshot[name] === "string" || typeof snapshot[name] === "number" ? String(snapshot[name]) : "";
  const lines = [
    `Name: ${of("name")}`,
    ...(of("description") ? [`Description: ${of("description")}`] : []),
    `State: ${of("state")}`,
    `Tier: ${of("tier")}`,
    ...(of("contextType") ? [`Type: ${of("contextType")}`] : []),
    ...(of("parentContextId") ? [`Below: ${of("parentContextId")}`] : []),
    "",
    of("content"),
  ];
  return `${lines.join("\n")}\n`;
}

function Changed({ revision, before }: { revision: Revision; before: Revision | undefined }) {
  const was = before ? asText(before) : "";
  const is = asText(revision);
  if (was === is)
    return (
      <Text size="sm" c="dimmed">
        Its texts are those of the version before.
      </Text>
    );
  return <Diff before={was} after={is} label={`What changed in version ${revision.version}`} />;
}

interface EntryProps {
  revision: Revision;
  before: Revision | undefined;
  who: string;
  shown: boolean;
  toggle: () => void;
  revert: (() => void) | undefined;
}

function Entry({ revision, before, who, shown, toggle, revert }: EntryProps) {
  return (
    <li className={classes.revision}>
      <Group justify="space-between" gap="xs">
        <div>
          <Text size="sm" fw={550} component="span">
            Version {revision.version}
          </Text>{" "}
          <Text size="sm" c="dimmed" component="span">
            {lookup(WORDS, revision.change) ?? revision.change} {who} <Time at={revision.createdAt} />
          </Text>
        </div>
        <Group gap={4}>
          <Button
            size="xs"
            variant="subtle"
            aria-expanded={shown}
            aria-label={`What changed in version ${revision.version}`}
            onClick={toggle}
          >
            {shown ? "Hide" : "What changed"}
          </Button>
          {revert && (
            <Button
              size="xs"
              variant="default"
              aria-label={`Go back to version ${revision.version}`}
              onClick={revert}
            >
              Go back to this
            </Button>
          )}
        </Group>
      </Group>
      {shown && <Changed revision={revision} before={before} />}
    </li>
  );
}

/** Every state a context has had, what changed each time, and the way back. */
export function Revisions({ node }: { node: Node }) {
  const { place } = node;
  const nameOf = useNames();
  const acts = useActs(place);
  const mayChange = useMayChange()(place);
  const [shown, setShown] = useState<number | null>(null);
  const pages = usePages("/api/contexts/{id}/revisions", { path: { id: place.id }, query: { limit: 25 } });
  const all = pages.data?.pages.flatMap((page) => page.data);
  return (
    <Loaded of={{ data: all, error: pages.error, refetch: pages.refetch }}>
      {(known) => (
        <Stack gap="sm" align="stretch">
          <ol className={classes.revisions} aria-label="Versions">
            {known.map((revision, at) => (
              <Entry
                key={revision.version}
                revision={revision}
                before={known[at + 1]}
                who={nameOf(revision.actorId)}
                shown={shown === revision.version}
                toggle={() => {
                  if (at === known.length - 1 && pages.hasNextPage) void pages.fetchNextPage();
                  setShown(shown === revision.version ? null : revision.version);
                }}
                revert={mayChange && at > 0 ? () => void acts.revert(revision.version) : undefined}
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
            Going back brings the texts of then; state and place stay as they are now.
          </Text>
        </Stack>
      )}
    </Loaded>
  );
}
