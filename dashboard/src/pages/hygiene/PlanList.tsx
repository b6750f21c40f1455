import { Title } from "@mantine/core";
import { amount, Time } from "~/parts/Time";
import classes from "./hygiene.module.css";
import { isExpired, MODES, type Plan } from "./words";

function state(plan: Plan): string {
  const done = plan.actions.filter((action) => action.applied).length;
  if (plan.actions.length === 0) return "nothing to tidy up";
  if (isExpired(plan)) return "expired";
  return `${amount(plan.actions.length, "proposal")}${done > 0 ? `, ${done} done` : ""}`;
}

/** The plans of the last seven days. */
export function PlanList({
  plans,
  shown,
  show,
}: {
  plans: Plan[];
  shown: string;
  show: (planId: string) => void;
}) {
  return (
    <nav aria-label="Plans of the last seven days">
      <Title order={2} size="h5" mb="xs">
        Last seven days
      </Title>
      <ul className={classes.plans}>
        {plans.map((plan) => (
          <li key={plan.planId}>
            <button
              type="button"
              className={classes.planButton}
              aria-current={plan.planId === shown ? "true" : undefined}
              onClick={() => show(plan.planId)}
            >
              <span>{MODES[plan.mode].name}</span>
              <small>
                <Time at={plan.createdAt} />, {state(plan)}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
