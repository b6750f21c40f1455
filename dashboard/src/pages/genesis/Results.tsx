import { Stack, Tabs, Text } from "@mantine/core";
import { useSearchParams } from "wouter";
import { useGet } from "~/api/hooks";
import { Loaded } from "~/parts/Page";
import { pluralize, formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import { FindingsTab } from "./FindingsTab";
import classes from "./genesis.module.css";
import { ImportsTab } from "./ImportsTab";
import { isFinished, formatDuration, type Scan } from "./phases";
import { TechStack } from "./TechStack";

/** Running phases in which the import graph is available. */
const PHASES_WITH_GRAPH = ["security_audit", "assemble"];

/** Results of the latest scan; while it runs, the findings so far. */
export function Results({ scan }: { scan: Scan }) {
  const project = useProject();
  const [search, setSearch] = useSearchParams();
  const params = { query: { projectId: project.id } };
  const hasGraph = isFinished(scan) || PHASES_WITH_GRAPH.includes(scan.phase);
  const results = useGet("/api/v2/scans/results", params, { keepPrevious: true });
  const graph = useGet("/api/v2/scans/graph", params, { enabled: hasGraph });
  const view = search.get("view") === "imports" && hasGraph ? "imports" : "findings";
  const setView = (value: string | null) =>
    setSearch(
      (before) => {
        if (value === "imports") before.set("view", "imports");
        else before.delete("view");
        return before;
      },
      { replace: true },
    );
  return (
    <Loaded query={results}>
      {({ findings, techStack, summary }) => (
        <Stack gap="lg">
          {techStack.length > 0 && <TechStack stack={techStack} />}
          <Tabs value={view} onChange={setView} keepMounted={false} variant="default">
            <Tabs.List className={classes.tabs}>
              <Tabs.Tab value="findings">
                Findings <span className={classes.layerCount}>{formatNumber(findings.length)}</span>
              </Tabs.Tab>
              {hasGraph && (
                <Tabs.Tab value="imports">
                  Imports{" "}
                  {graph.data && (
                    <span className={classes.layerCount}>{formatNumber(graph.data.modules.length)}</span>
                  )}
                </Tabs.Tab>
              )}
            </Tabs.List>
            <Tabs.Panel value="findings" pt="md">
              <FindingsTab findings={findings} />
            </Tabs.Panel>
            <Tabs.Panel value="imports" pt="md">
              <Loaded query={graph}>{(found) => <ImportsTab graph={found} />}</Loaded>
            </Tabs.Panel>
          </Tabs>
          {isFinished(scan) && (
            <Text size="xs" c="dimmed" ta="center">
              {pluralize(summary.totalFindings, "finding")} from {pluralize(summary.filesAnalyzed, "file")} in{" "}
              {formatDuration(summary.scanDuration)}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
