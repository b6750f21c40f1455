import { Group, SimpleGrid, Text, Title } from "@mantine/core";
import type { components } from "~/api/schema";
import { Meter } from "~/parts/Meter";
import { Tag, type Tone } from "~/parts/Tag";
import { pluralize, formatCompact } from "~/parts/format";
import parts from "~/parts/parts.module.css";
import { formatBytes, formatDay } from "./catalog";

export type Usage = components["schemas"]["Usage"];
type Spend = NonNullable<components["schemas"]["Overview"]["spend"]>;

const STATES: Record<Usage["subscription"]["status"], [string, Tone]> = {
  none: ["No subscription", "plain"],
  active: ["Active", "good"],
  past_due: ["Payment failed", "bad"],
  cancelling: ["Cancels soon", "warn"],
  cancelled: ["No subscription", "plain"],
};

/** One sentence on the subscription's state. */
function describeSubscription({ subscription }: Usage): string {
  if (subscription.status === "cancelling" && subscription.cancelAt)
    return `Canceled. The plan stays active until ${formatDay(subscription.cancelAt)}.`;
  if (subscription.status === "past_due")
    return "The last payment failed. Update your payment method to keep the plan.";
  if (subscription.status === "active" && subscription.periodEnd)
    return `${pluralize(subscription.seats, "seat")}, renews on ${formatDay(subscription.periodEnd)}.`;
  if (subscription.status === "cancelled")
    return "Your paid plan has ended. The team is on this server's default plan.";
  return "This plan was set by the server administrator. Nothing is charged.";
}

/** The plan and this month's usage of its limits. */
export function PlanUsage({ usage, spend }: { usage: Usage; spend: Spend | null }) {
  const [label, tone] = STATES[usage.subscription.status];
  const { sessions, events, enrichments, storage } = usage.usage;
  return (
    <section aria-labelledby="plan" className={parts.card}>
      <Group gap="xs" mb={4}>
        <Title order={2} id="plan">
          <span style={{ textTransform: "capitalize" }}>{usage.plan}</span> plan
        </Title>
        <Tag tone={tone}>{label}</Tag>
      </Group>
      <Text size="sm" c="dimmed" mb="lg">
        {describeSubscription(usage)} Monthly usage since {formatDay(usage.period.start)}; resets on{" "}
        {formatDay(usage.period.end)}. Storage does not reset.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xl" verticalSpacing="lg">
        {spend && <Meter label="AI tokens" used={spend.used} limit={spend.limit} format={formatCompact} />}
        <Meter label="Enrichments" used={enrichments.used} limit={enrichments.limit} />
        <Meter label="Sessions" used={sessions.used} limit={sessions.limit} />
        <Meter label="Events" used={events.used} limit={events.limit} />
        <Meter label="Storage" used={storage.used} limit={storage.limit} format={formatBytes} />
      </SimpleGrid>
    </section>
  );
}
