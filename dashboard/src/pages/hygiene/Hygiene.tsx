import { IconLeaf } from "@tabler/icons-react";
import { useSearchParams } from "wouter";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { useCanWrite, useProject } from "~/shell/project";
import classes from "./hygiene.module.css";
import { StartAnalysis } from "./StartAnalysis";
import { PlanList } from "./PlanList";
import { PlanReview } from "./PlanReview";
import { useHygienePlans } from "./plans";

function NoPlans({ canWrite }: { canWrite: boolean }) {
  return (
    <EmptyState icon={<IconLeaf size={40} stroke={1.4} />} title="No checks in the last 7 days">
      {canWrite
        ? "Run a check above to get a list of suggested changes, each with a reason. " +
          "You choose which to apply. You can undo every change except a redaction."
        : "This project is archived, so its memories can't be changed."}
    </EmptyState>
  );
}

function Plans() {
  const project = useProject();
  const canWrite = useCanWrite();
  const hygiene = useHygienePlans(project.id);
  const [search, setSearch] = useSearchParams();
  const show = (planId: string) =>
    setSearch(
      (before) => {
        before.set("plan", planId);
        return before;
      },
      { replace: true },
    );
  return (
    <>
      {canWrite && (
        <StartAnalysis busy={hygiene.analyzingMode} analyze={(mode) => hygiene.analyze(mode, show)} />
      )}
      <Loaded query={hygiene.plans}>
        {(plans) => {
          const plan = plans.find(({ planId }) => planId === search.get("plan")) ?? plans[0];
          if (!plan) return <NoPlans canWrite={canWrite} />;
          return (
            <div className={classes.layout} data-single={plans.length === 1}>
              <div className={classes.main}>
                <PlanReview key={plan.planId} plan={plan} hygiene={hygiene} canWrite={canWrite} />
              </div>
              {plans.length > 1 && <PlanList plans={plans} shown={plan.planId} show={show} />}
            </div>
          );
        }}
      </Loaded>
    </>
  );
}

export default function Hygiene() {
  const { accessLevel } = useProject();
  return (
    <Page
      title="Hygiene"
      about="Find problems in memory and review suggested fixes. Nothing changes until you apply them."
    >
      {accessLevel === "read" ? (
        <EmptyState icon={<IconLeaf size={40} stroke={1.4} />} title="Write access required">
          Ask a project admin for write access to run checks and apply suggestions.
        </EmptyState>
      ) : (
        <Plans />
      )}
    </Page>
  );
}
