import { Tabs, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconBrain } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link, useSearchParams } from "wouter";
import { useGet } from "~/api/hooks";
import { Empty, Loaded, Page } from "~/parts/Page";
import { count } from "~/parts/Time";
import { useProject } from "~/shell/project";
import { Branch, Budget } from "./Budget";
import { bounded, USUAL, type Plan } from "./plan";
import { Document } from "./Document";
import { Entries } from "./Entries";
import { ForAgents } from "./ForAgents";
import { History } from "./History";
import { Layers } from "./Layers";
import classes from "./brain.module.css";

/** What is asked of the server. */
export interface Asked {
  projectId: string;
  tokenBudget: number;
  branch?: string;
}

/** The slider must rest so long before the server is asked: it answers a person 200 times a minute. */
const RESTS_MS = 200;
const VIEWS = ["enters", "document", "history"] as const;

/** The budget as it is set, and the one that has rested; it stands in the address, so that it can be sent. */
function useAsked(projectId: string) {
  const [search, setSearch] = useSearchParams();
  const [budget, setBudget] = useState(() => bounded(Number(search.get("budget")) || USUAL));
  const [branch, setBranch] = useState(() => search.get("branch") ?? "");
  const [rested] = useDebouncedValue(budget, RESTS_MS);
  const [named] = useDebouncedValue(branch.trim(), 400);
  useEffect(() => {
    setSearch(
      (before) => {
        const now = new URLSearchParams(before);
        if (rested === USUAL) now.delete("budget");
        else now.set("budget", String(rested));
        if (named) now.set("branch", named);
        else now.delete("branch");
        return now;
      },
      { replace: true },
    );
    // Only what is asked is written down; the address leads nowhere else.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [rested, named]);
  const asked: Asked = { projectId, tokenBudget: rested, ...(named ? { branch: named } : {}) };
  return { budget, setBudget, branch, setBranch, asked, resting: rested === budget };
}

function Summary({ plan, old }: { plan: Plan; old: boolean }) {
  const taken = plan.layers.reduce((sum, layer) => sum + layer.taken, 0);
  const left = plan.layers.reduce((sum, layer) => sum + layer.leftOut, 0);
  return (
    <Text role="status" className={classes.summary} data-old={old || undefined}>
      <strong>{count(plan.tokenEstimate)}</strong> of {count(plan.budget)} tokens:{" "}
      <strong>{count(taken)}</strong> {taken === 1 ? "memory enters" : "memories enter"},{" "}
      <strong>{count(left)}</strong> {left === 1 ? "falls out" : "fall out"}
    </Text>
  );
}

const isEmpty = (plan: Plan) => plan.layers.every((layer) => layer.taken + layer.leftOut === 0);

export default function BrainPage() {
  const project = useProject();
  const { budget, setBudget, branch, setBranch, asked, resting } = useAsked(project.id);
  const [view, setView] = useState<string>(VIEWS[0]);
  const plan = useGet("/api/v2/brain/plan", { query: asked }, { keep: true });
  return (
    <Page
      wide
      title="Brain"
      about="Approved memory as one document, as agents get it: what matters most enters first."
    >
      <section className={classes.card} aria-label="Budget">
        <div className={classes.controls}>
          <Budget budget={budget} set={setBudget} />
          <Branch branch={branch} set={setBranch} />
        </div>
        <Loaded of={plan}>
          {(now) => (
            <>
              <Summary plan={now} old={!resting || plan.isPlaceholderData} />
              <Layers plan={now} />
            </>
          )}
        </Loaded>
      </section>
      <Tabs value={view} onChange={(chosen) => chosen && setView(chosen)} keepMounted={false} mt="lg">
        <Tabs.List mb="md">
          <Tabs.Tab value="enters">What enters</Tabs.Tab>
          <Tabs.Tab value="document">Document</Tabs.Tab>
          <Tabs.Tab value="history">History</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="enters">
          <Loaded of={plan}>
            {(now) =>
              isEmpty(now) ? (
                <Empty icon={<IconBrain size={40} />} title="Nothing is approved yet">
                  Agents get only what a person has approved, or what came with enough evidence.{" "}
                  <Link href={`/p/${project.id}/review`}>Review what waits</Link>, and it enters here.
                </Empty>
              ) : (
                <Entries plan={now} />
              )
            }
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="document">
          <Document asked={asked} />
        </Tabs.Panel>
        <Tabs.Panel value="history">
          <History asked={asked} />
        </Tabs.Panel>
      </Tabs>
      <ForAgents asked={asked} />
    </Page>
  );
}
