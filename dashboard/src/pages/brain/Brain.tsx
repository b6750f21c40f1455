import { Tabs, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBrain } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { formatNumber } from "~/parts/format";
import { useProject } from "~/shell/project";
import { Branch, Budget } from "./Budget";
import { clampBudget, DEFAULT_BUDGET, type Plan } from "./plan";
import { Document } from "./Document";
import { Entries } from "./Entries";
import { AgentAccess } from "./AgentAccess";
import { History } from "./History";
import { Layers } from "./Layers";
import classes from "./brain.module.css";

export interface BrainQuery {
  projectId: string;
  tokenBudget: number;
  branch?: string;
}

/** Delay before a slider change is sent, to stay below the rate limit of 200 requests per minute. */
const DEBOUNCE_MS = 200;
const VIEWS = ["included", "document", "history"] as const;

/** Budget and branch as entered, plus the debounced query, which is kept in the URL so it can be shared. */
function useBrainQuery(projectId: string) {
  const [search, setSearch] = useSearchParams();
  const [budget, setBudget] = useState(() => clampBudget(Number(search.get("budget")) || DEFAULT_BUDGET));
  const [branch, setBranch] = useState(() => search.get("branch") ?? "");
  const [debouncedBudget] = useDebouncedValue(budget, DEBOUNCE_MS);
  const [debouncedBranch] = useDebouncedValue(branch.trim(), 400);
  useEffect(() => {
    setSearch(
      (before) => {
        const now = new URLSearchParams(before);
        if (debouncedBudget === DEFAULT_BUDGET) now.delete("budget");
        else now.set("budget", String(debouncedBudget));
        if (debouncedBranch) now.set("branch", debouncedBranch);
        else now.delete("branch");
        return now;
      },
      { replace: true },
    );
    // The URL is only written here and never read back.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [debouncedBudget, debouncedBranch]);
  const query: BrainQuery = {
    projectId,
    tokenBudget: debouncedBudget,
    ...(debouncedBranch ? { branch: debouncedBranch } : {}),
  };
  return { budget, setBudget, branch, setBranch, query, settled: debouncedBudget === budget };
}

function Summary({ plan, stale }: { plan: Plan; stale: boolean }) {
  const included = plan.layers.reduce((sum, layer) => sum + layer.included, 0);
  const leftOut = plan.layers.reduce((sum, layer) => sum + layer.omitted, 0);
  return (
    <Text role="status" className={classes.summary} data-stale={stale || undefined}>
      <strong>{formatNumber(plan.tokenEstimate)}</strong> of {formatNumber(plan.budget)} tokens:{" "}
      <strong>{formatNumber(included)}</strong> {included === 1 ? "item" : "items"} included,{" "}
      <strong>{formatNumber(leftOut)}</strong> left out
    </Text>
  );
}

const isEmpty = (plan: Plan) => plan.layers.every((layer) => layer.included + layer.omitted === 0);

export default function BrainPage() {
  const project = useProject();
  const { budget, setBudget, branch, setBranch, query, settled } = useBrainQuery(project.id);
  const [view, setView] = useState<string>(VIEWS[0]);
  const plan = useGet("/api/v2/brain/plan", { query }, { keepPrevious: true });
  return (
    <Page
      wide
      title="Brain"
      about="Approved memories as one document, most important first, within a token budget."
    >
      <section className={classes.card} aria-label="Budget">
        <div className={classes.controls}>
          <Budget budget={budget} set={setBudget} />
          <Branch branch={branch} set={setBranch} />
        </div>
        <Loaded query={plan}>
          {(now) => (
            <>
              <Summary plan={now} stale={!settled || plan.isPlaceholderData} />
              <Layers plan={now} />
            </>
          )}
        </Loaded>
      </section>
      <Tabs value={view} onChange={(chosen) => chosen && setView(chosen)} keepMounted={false} mt="lg">
        <Tabs.List mb="md">
          <Tabs.Tab value="included">Included</Tabs.Tab>
          <Tabs.Tab value="document">Document</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="included">
          <Loaded query={plan}>
            {(now) =>
              isEmpty(now) ? (
                <EmptyState icon={<IconBrain size={40} />} title="No approved memories yet">
                  The document contains approved memories only.{" "}
                  <Link href={`/p/${project.id}/review`}>Review drafts</Link> to add them.
                </EmptyState>
              ) : (
                <Entries plan={now} />
              )
            }
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="document">
          <Document query={query} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History query={query} />
        </Tabs.Panel>
      </Tabs>
      <AgentAccess query={query} />
    </Page>
  );
}
