import { Stack, Tabs, Text } from "@mantine/core";
import { useSearchParams } from "wouter";
import { useGet } from "~/api/hooks";
import { Loaded } from "~/parts/Page";
import { amount, count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { Findings } from "./Findings";
import classes from "./genesis.module.css";
import { Imports } from "./Imports";
import { isOver, lasted, type Scan } from "./phases";
import { TechStack } from "./Stack";

/** The picture of the imports is drawn when conclusions are. */
const DRAWN = ["security_audit", "assemble"];

/** What the newest scan has found; while it runs, what it has found so far. */
export function Results({ scan }: { scan: Scan }) {
  const project = useProject();
  const [asked, setAsked] = useSearchParams();
  const given = { query: { projectId: project.id } };
  const drawn = isOver(scan) || DRAWN.includes(scan.phase);
  const results = useGet("/api/v2/scans/results", given, { keep: true });
  const graph = useGet("/api/v2/scans/graph", given, { enabled: drawn });
  const view = asked.get("view") === "imports" && drawn ? "imports" : "findings";
  const show = (value: string | null) =>
    setAsked(
      (before) => {
        if (value === "imports") before.set("view", "imports");
        else before.delete("view");
        return before;
      },
      { replace: true },
    );
  return (
    <Loaded of={results}>
      {({ findings, techStack, summary }) => (
        <Stack gap="lg">
          {techStack.length > 0 && <TechStack stack={techStack} />}
          <Tabs value={view} onChange={show} keepMounted={false} variant="default">
            <Tabs.List className={classes.tabs}>
              <Tabs.Tab value="findings">
                Findings <span className={classes.layerCount}>{count(findings.length)}</span>
              </Tabs.Tab>
              {drawn && (
                <Tabs.Tab value="imports">
                  Imports{" "}
                  {graph.data && (
                    <span className={classes.layerCount}>{count(graph.data.modules.length)}</span>
                  )}
                </Tabs.Tab>
              )}
            </Tabs.List>
            <Tabs.Panel value="findings" pt="md">
              <Findings findings={findings} />
            </Tabs.Panel>
            <Tabs.Panel value="imports" pt="md">
              <Loaded of={graph}>{(found) => <Imports graph={found} />}</Loaded>
            </Tabs.Panel>
          </Tabs>
          {isOver(scan) && (
            <Text size="xs" c="dimmed" ta="center">
              {amount(summary.totalFindings, "finding")} from {amount(summary.filesAnalyzed, "file")} in{" "}
              {lasted(summary.scanDuration)}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
