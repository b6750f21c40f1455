import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { queryKey, useGet, useSend } from "~/api/hooks";
import { pluralize } from "~/parts/format";
import { showSuccess, showUndo } from "~/parts/toast";
import { isIrreversible, type Mode, type Outcome, type Plan } from "./actions";

const HYGIENE = "/api/v2/hygiene";
/** Queries to refetch after memories change. */
const INVALIDATED = [
  HYGIENE,
  "/api/v2/items",
  "/api/v2/search",
  "/api/v2/brain",
  "/api/v2/overview",
  "/api/v2/map",
];

/** The result of applying or undoing an action. */
export interface ActionOutcome extends Outcome {
  step: "apply" | "undo";
}

/** A project's plans and the mutations on them. */
export function useHygienePlans(projectId: string) {
  const cache = useQueryClient();
  const params = { query: { projectId } };
  const plans = useGet(HYGIENE, params);
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, ActionOutcome>>(new Map());
  const [notes, setNotes] = useState<ReadonlyMap<string, string[]>>(new Map());
  const analyzing = useSend("post", HYGIENE, { invalidates: [HYGIENE] });
  const applying = useSend("post", HYGIENE, { invalidates: INVALIDATED });
  const undoing = useSend("post", "/api/v2/hygiene/undo", { invalidates: INVALIDATED });

  const updatePlans = (edit: (before: Plan[]) => Plan[]) =>
    cache.setQueryData<Plan[]>(queryKey(HYGIENE, params), (before) => edit(before ?? []));
  const recordResults = (plan: Plan, step: ActionOutcome["step"], results: Outcome[]) => {
    const done = new Set(
      results.filter(({ status }) => status === "success").map(({ actionId }) => actionId),
    );
    setOutcomes(
      (before) =>
        new Map([...before, ...results.map((result) => [result.actionId, { ...result, step }] as const)]),
    );
    updatePlans((before) =>
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
          recordResults(plan, "undo", results);
          showSuccess(
            `${pluralize(undone, "change")} undone.${skipped > 0 ? ` ${skipped} could not be undone; see the reasons below.` : ""}`,
          );
        },
      },
    );

  return {
    plans,
    outcomes,
    notesOf: (plan: Plan) => notes.get(plan.planId) ?? plan.summary.notes,
    analyzingMode: analyzing.isPending ? analyzing.variables.body?.mode : undefined,
    isApplying: applying.isPending,
    isUndoing: undoing.isPending,
    analyze: (mode: Mode, onPlan: (planId: string) => void) =>
      analyzing.mutate(
        { body: { projectId, action: "analyze", mode, selectedActionIds: null, plan: null } },
        {
          onSuccess: (answer) => {
            if (!("planId" in answer)) return;
            const actions = answer.actions.map((action) => ({ ...action, applied: false }));
            updatePlans((before) => [
              { ...answer, actions },
              ...before.filter(({ planId }) => planId !== answer.planId),
            ]);
            // Notes are only in this response; the stored plan does not have them.
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
            const done = recordResults(plan, "apply", answer.results);
            const undoable = plan.actions.filter((action) => done.has(action.id) && !isIrreversible(action));
            const skipped = answer.skipped > 0 ? ` ${answer.skipped} skipped; see the reasons below.` : "";
            const message = `${pluralize(answer.applied, "change")} applied.${skipped}`;
            if (undoable.length > 0)
              showUndo(message, () =>
                undo(
                  plan,
                  undoable.map(({ id }) => id),
                ),
              );
            else showSuccess(message);
            onDone();
          },
        },
      ),
    undo,
  };
}

export type HygienePlans = ReturnType<typeof useHygienePlans>;
