import { IconLeaf } from "@tabler/icons-react";
import { useSearchParams } from "wouter";
import { Empty, Loaded, Page } from "~/parts/Page";
import { useMayWrite, useProject } from "~/shell/project";
import classes from "./hygiene.module.css";
import { Looks } from "./Looks";
import { PlanList } from "./PlanList";
import { Review } from "./Review";
import { useTidying } from "./tidying";

function NoPlans({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Empty icon={<IconLeaf size={40} stroke={1.4} />} title="No look was taken in the last seven days">
      {mayWrite
        ? "Take one above. You get a plan: what could be renamed, merged, retired or taken out, each with its reason. You decide what is done, and can undo it."
        : "The project is archived: its memory stays as it is."}
    </Empty>
  );
}

/** For those who may write in the project: a plan shows what is wrong with everybody's memory. */
function Tidying() {
  const project = useProject();
  const mayWrite = useMayWrite();
  const tidying = useTidying(project.id);
  const [asked, setAsked] = useSearchParams();
  const show = (planId: string) =>
    setAsked(
      (before) => {
        before.set("plan", planId);
        return before;
      },
      { replace: true },
    );
  return (
    <>
      {mayWrite && <Looks busy={tidying.lookingFor} look={(mode) => tidying.look(mode, show)} />}
      <Loaded of={tidying.plans}>
        {(plans) => {
          const plan = plans.find(({ planId }) => planId === asked.get("plan")) ?? plans[0];
          if (!plan) return <NoPlans mayWrite={mayWrite} />;
          return (
            <div className={classes.sides} data-one={plans.length === 1}>
              <div className={classes.main}>
                <Review key={plan.planId} plan={plan} tidying={tidying} mayWrite={mayWrite} />
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
  const { rights } = useProject();
  return (
    <Page
      title="Hygiene"
      about="Finds what makes the memory worse, and proposes what to do. Nothing changes until you say so."
    >
      {rights === "read" ? (
        <Empty icon={<IconLeaf size={40} stroke={1.4} />} title="For those who write in this project">
          Whoever may write here can take a look at its memory and decide what is done.
        </Empty>
      ) : (
        <Tidying />
      )}
    </Page>
  );
}
