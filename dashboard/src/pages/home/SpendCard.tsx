import { Group, Text, Title } from "@mantine/core";
import { Link } from "wouter";
import { Meter } from "~/parts/Meter";
import { formatCompact } from "~/parts/format";
import type { Overview } from "./overview";
import classes from "./home.module.css";

type Spend = NonNullable<Overview["spend"]>;

const dayFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });

/** What happens once the plan's tokens are used up. */
function describeAllowance(spend: Spend): string {
  if (spend.limit >= Number.MAX_SAFE_INTEGER) return "No usage limits.";
  if (spend.used < spend.limit)
    return spend.credits > 0
      ? `Once the AI tokens are used up, your credits (${formatCompact(spend.credits)} tokens) cover the rest.`
      : "Once the AI tokens are used up, enrichment and answers pause until next month or until you buy credits.";
  return spend.credits > 0
    ? `Your AI tokens are used up. Credits cover usage now: ${formatCompact(spend.credits)} tokens left.`
    : "Your AI tokens are used up and you have no credits. Enrichment and answers are paused; buy credits to resume.";
}

/** This month's AI usage against the plan; shown to owners and admins. */
export function SpendCard({ spend }: { spend: Spend }) {
  return (
    <section aria-labelledby="spend">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} id="spend">
          Usage this month
        </Title>
        <Link href="/billing" className={classes.billingLink}>
          Billing
        </Link>
      </Group>
      <div className={classes.spend}>
        <Meter label="AI tokens" used={spend.used} limit={spend.limit} format={formatCompact} />
        <Meter
          label="Enrichments"
          used={spend.usage.enrichments.used}
          limit={spend.usage.enrichments.limit}
        />
        <Text size="xs" c="dimmed">
          {spend.plan[0]?.toUpperCase()}
          {spend.plan.slice(1)} plan. {describeAllowance(spend)} Usage resets on{" "}
          {dayFormat.format(new Date(spend.period.end))}.
        </Text>
      </div>
    </section>
  );
}
