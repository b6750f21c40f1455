import { Title } from "@mantine/core";
import { pluralize, RelativeTime } from "~/parts/format";
import classes from "./hygiene.module.css";
import { isExpired, MODES, type Plan } from "./actions";

function describePlan(plan: Plan): string {
  const done = plan.actions.filter((action) => action.applied).length;
  if (plan.actions.length === 0) return "no issues";
  if (isExpired(plan)) return "expired";
  return `${pluralize(plan.actions.length, "suggestion")}${done > 0 ? `, ${done} applied` : ""}`;
}

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
    <nav aria-label="Checks from the last 7 days">
      <Title order={2} size="h5" mb="xs">
        Last 7 days
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
                <RelativeTime at={plan.createdAt} />, {describePlan(plan)}
              </small>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
