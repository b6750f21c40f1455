import { Button, Checkbox, SegmentedControl, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useGet, usePages } from "~/api/hooks";
import type { components } from "~/api/schema";
import { Diff } from "~/parts/Diff";
import { Loaded } from "~/parts/Page";
import { count, dateTime, Time } from "~/parts/Time";
import type { Asked } from "./Brain";
import classes from "./shown.module.css";

type Moment = components["schemas"]["BrainMoment"];

/** Before anything was known. */
const BEGINNING = "1970-01-01T00:00:00Z";

function words({ added, changed, removed }: Moment): string {
  const said = [
    added > 0 ? `${count(added)} added` : "",
    changed > 0 ? `${count(changed)} changed` : "",
    removed > 0 ? `${count(removed)} taken out` : "",
  ].filter(Boolean);
  return said.join(", ") || "changed";
}

interface ComparedProps {
  asked: Asked;
  from: string;
  /** Null is now. */
  to: string | null;
}

/** The documents of two moments, and what lies between them. */
function Compared({ asked, from, to }: ComparedProps) {
  const before = useGet("/api/v2/brain/past", { query: { ...asked, at: from } }, { keep: true });
  const then = useGet(
    "/api/v2/brain/past",
    { query: { ...asked, at: to ?? BEGINNING } },
    { keep: true, enabled: to !== null },
  );
  const now = useGet("/api/v2/brain", { query: asked }, { keep: true, enabled: to === null });
  const after = to === null ? now : then;
  return (
    <Loaded of={before}>
      {(older) => (
        <Loaded of={after}>
          {(newer) =>
            older.markdown === newer.markdown ? (
              <Text size="sm" c="dimmed">
                The two documents are alike. What changed had no room in {count(asked.tokenBudget)} tokens, or
                it was changed back.
              </Text>
            ) : (
              <div className={classes.changes}>
                <Diff before={older.markdown} after={newer.markdown} label="Changes of the document" />
              </div>
            )
          }
        </Loaded>
      )}
    </Loaded>
  );
}

function MomentLine({ moment, chosen, choose }: { moment: Moment; chosen: boolean; choose: () => void }) {
  return (
    <li className={classes.moment} data-chosen={chosen || undefined}>
      <Checkbox
        checked={chosen}
        onChange={choose}
        label={dateTime(moment.at)}
        description={
          <>
            <Time at={moment.at} /> · {words(moment)}
          </>
        }
      />
      {moment.titles.length > 0 && (
        <Text size="sm" c="dimmed" className={classes.titles}>
          {moment.titles.join(" · ")}
        </Text>
      )}
    </li>
  );
}

/** When the document changed, and how. */
export function History({ asked }: { asked: Asked }) {
  const pages = usePages("/api/v2/brain/history", { query: { projectId: asked.projectId, limit: 20 } });
  const moments = pages.data?.pages.flatMap((page) => page.data);
  const [picked, setPicked] = useState<string[] | null>(null);
  const [against, setAgainst] = useState("before");
  return (
    <Loaded of={{ data: moments, error: pages.error, refetch: pages.refetch }}>
      {(known) => {
        if (known.length === 0)
          return (
            <Text c="dimmed" size="sm">
              Nothing has been approved yet. Each time approved memory changes, that moment will stand here.
            </Text>
          );
        const chosen = (picked ?? [known[0]!.at])
          .filter((at) => known.some((one) => one.at === at))
          .toSorted();
        const choose = (at: string) =>
          setPicked(chosen.includes(at) ? chosen.filter((one) => one !== at) : [...chosen.slice(-1), at]);
        const [first, second] = chosen;
        const older = known[known.findIndex((one) => one.at === first) + 1]?.at ?? BEGINNING;
        const [from, to] = second
          ? [first, second]
          : against === "now"
            ? [first, null]
            : [older, first ?? null];
        return (
          <div className={classes.past}>
            <div>
              <Text size="sm" mb="xs">
                Choose one moment, or two to compare them.
              </Text>
              <ol className={classes.moments} aria-label="Moments" tabIndex={0}>
                {known.map((moment) => (
                  <MomentLine
                    key={moment.at}
                    moment={moment}
                    chosen={chosen.includes(moment.at)}
                    choose={() => choose(moment.at)}
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
                  Earlier moments
                </Button>
              )}
            </div>
            <Stack gap="sm" miw={0}>
              {first && !second && (
                <SegmentedControl
                  aria-label="What is compared"
                  value={against}
                  onChange={setAgainst}
                  data={[
                    { value: "before", label: "What changed then" },
                    { value: "now", label: "From then until now" },
                  ]}
                />
              )}
              {first && second && (
                <Text size="sm">
                  From {dateTime(first)} to {dateTime(second)}
                </Text>
              )}
              {first ? (
                <Compared asked={asked} from={from ?? BEGINNING} to={to ?? null} />
              ) : (
                <Text size="sm" c="dimmed">
                  No moment is chosen.
                </Text>
              )}
              <Text size="xs" c="dimmed">
                The documents are those of {count(asked.tokenBudget)} tokens. What was deleted for ever since
                is in none of them: deletion is a promise.
              </Text>
            </Stack>
          </div>
        );
      }}
    </Loaded>
  );
}
