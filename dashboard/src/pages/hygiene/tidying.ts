import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keyOf, useGet, useSend } from "~/api/hooks";
import { amount } from "~/parts/Time";
import { showDone, showUndo } from "~/parts/toast";
import { isFinal, type Mode, type Outcome, type Plan } from "./words";

const ADDRESS = "/api/v2/hygiene";
/** What a memory's change makes old. */
const TOUCHED = [
  ADDRESS,
  "/api/v2/items",
  "/api/v2/search",
  "/api/v2/brain",
  "/api/v2/overview",
  "/api/v2/map",
];

/** What became of an action: when it was applied, or when it was taken back. */
export interface Told extends Outcome {
  step: "apply" | "undo";
}

/** The plans of a project, and all that can be done with them. */
export function useTidying(projectId: string) {
  const cache = useQueryClient();
  const given = { query: { projectId } };
  const plans = useGet(ADDRESS, given);
  const [told, setTold] = useState<ReadonlyMap<string, Told>>(new Map());
  const [notes, setNotes] = useState<ReadonlyMap<string, string[]>>(new Map());
  const looking = useSend("post", ADDRESS, { touches: [ADDRESS] });
  const applying = useSend("post", ADDRESS, { touches: TOUCHED });
  const undoing = useSend("post", "/api/v2/hygiene/undo", { touches: TOUCHED });

  const change = (edit: (before: Plan[]) => Plan[]) =>
    cache.setQueryData<Plan[]>(keyOf(ADDRESS, given), (before) => edit(before ?? []));
  const learn = (plan: Plan, step: Told["step"], results: Outcome[]) => {
    const done = new Set(results.filter(({ status }) => status === "success").map((one) => one.actionId));
    setTold(
      (before) => new Map([...before, ...results.map((one) => [one.actionId, { ...one, step }] as const)]),
    );
    change((before) =>
      before.map((known) =>
        known.planId !== plan.planId
          ? known
          : {
              ...known,
              actions: known.actions.map((action) =>
                done.has(action.id) ? { ...action, applied: step === "apply" } : action,
              ),
            },
      ),
    );
    return done;
  };

  const undo = (plan: Plan, actionIds: string[]) =>
    undoing.mutate(
      { body: { projectId, planId: plan.planId, actionIds } },
      {
        onSuccess: ({ results, undone, skipped }) => {
          learn(plan, "undo", results);
          showDone(
            `${amount(undone, "change")} taken back.${skipped > 0 ? ` ${skipped} could not be; see why.` : ""}`,
          );
        },
      },
    );

  return {
    plans,
    told,
    notesOf: (plan: Plan) => notes.get(plan.planId) ?? plan.summary.notes,
    lookingFor: looking.isPending ? looking.variables.body?.mode : undefined,
    isApplying: applying.isPending,
    isUndoing: undoing.isPending,
    look: (mode: Mode, onPlan: (planId: string) => void) =>
      looking.mutate(
        { body: { projectId, action: "analyze", mode, selectedActionIds: null, plan: null } },
        {
          onSuccess: (answer) => {
            if (!("planId" in answer)) return;
            const actions = answer.actions.map((action) => ({ ...action, applied: false }));
            change((before) => [
              { ...answer, actions },
              ...before.filter((one) => one.planId !== answer.planId),
            ]);
            // Only this answer tells them: the plan as it is kept does not.
            setNotes((before) => new Map([...before, [answer.planId, answer.summary.notes]]));
            onPlan(answer.planId);
          },
        },
      ),
    apply: (plan: Plan, selectedActionIds: string[], onDone: () => void) =>
      applying.mutate(
        {
          body: {
            projectId,
            action: "apply",
            mode: plan.mode,
            selectedActionIds,
            plan: { planId: plan.planId },
          },
        },
        {
          onSuccess: (answer) => {
            if (!("applied" in answer)) return;
            const done = learn(plan, "apply", answer.results);
            const back = plan.actions.filter((action) => done.has(action.id) && !isFinal(action));
            const left = answer.skipped > 0 ? ` ${answer.skipped} skipped; see why.` : "";
            const message = `${amount(answer.applied, "change")} made.${left}`;
            if (back.length > 0)
              showUndo(message, () =>
                undo(
                  plan,
                  back.map(({ id }) => id),
                ),
              );
            else showDone(message);
            onDone();
          },
        },
      ),
    undo,
  };
}

export type Tidying = ReturnType<typeof useTidying>;
