import { Group, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { Meter } from "~/parts/Meter";
import { compact } from "~/parts/Time";
import type { Overview } from "./health";
import classes from "./home.module.css";

type Spend = NonNullable<Overview["spend"]>;

const day = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** What comes next when the allowance is spent, in a sentence. */
function after(spend: Spend): string {
  if (spend.limit >= Number.MAX_SAFE_INTEGER) return "It has no limits.";
  if (spend.used < spend.limit)
    return spend.credits > 0
      ? `When its AI tokens are spent, ${compact(spend.credits)} tokens of credit are used.`
      : "When its AI tokens are spent, enrichment and answers stop until next month or until credits are bought.";
  return spend.credits > 0
    ? `The allowance is spent: credits are used now, ${compact(spend.credits)} tokens are left.`
    : "The allowance is spent and there are no credits: enrichment and answers have stopped.";
}

/** AI tokens of the month against the plan's; for those who are told. */
export function SpendCard({ spend }: { spend: Spend }) {
  return (
    <section aria-labelledby="spend">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} id="spend">
          Spend this month
        </Title>
        <Link href="/billing" className={classes.way}>
          Billing
        </Link>
      </Group>
      <div className={classes.spend}>
        <Meter label="AI tokens" used={spend.used} limit={spend.limit} format={compact} />
        <Meter
          label="Enrichments"
          used={spend.usage.enrichments.used}
          limit={spend.usage.enrichments.limit}
        />
        <Text size="xs" c="dimmed">
          {spend.plan[0]?.toUpperCase()}
          {spend.plan.slice(1)} plan. {after(spend)} Counting begins anew on{" "}
          {day.format(new Date(spend.period.end))}.
        </Text>
      </div>
    </section>
  );
}
