import { Group, SimpleGrid, Text, Title } from "@mantine/core";
import type { components } from "~/api/schema";
import { Meter } from "~/parts/Meter";
import { Tag, type Tone } from "~/parts/Tag";
import { amount, compact } from "~/parts/Time";
import parts from "~/parts/parts.module.css";
import { bytes, dayOf } from "./offers";

export type Used = components["schemas"]["Usage"];
type Spend = NonNullable<components["schemas"]["Overview"]["spend"]>;

const STATES: Record<Used["subscription"]["status"], [string, Tone]> = {
  none: ["Not paid for", "plain"],
  active: ["Active", "good"],
  past_due: ["Payment failed", "bad"],
  cancelling: ["Ends soon", "warn"],
  cancelled: ["Cancelled", "plain"],
};

/** What the team has, and until when. */
function standing({ subscription }: Used): string {
  if (subscription.status === "cancelling" && subscription.cancelAt)
    return `It ends on ${dayOf(subscription.cancelAt)}; until then all stays as it is.`;
  if (subscription.status === "past_due")
    return "The last payment has failed. Look at your means of payment so that the plan goes on.";
  if (subscription.status === "active" && subscription.periodEnd)
    return `It is paid for ${amount(subscription.seats, "seat")} until ${dayOf(subscription.periodEnd)} and goes on by itself.`;
  return "Nothing is paid for: the plan was set by whoever runs this installation.";
}

/** The plan and what of it is used this month. */
export function Usage({ used, spend }: { used: Used; spend: Spend | null }) {
  const [word, tone] = STATES[used.subscription.status];
  const { sessions, events, enrichments, storage } = used.usage;
  return (
    <section aria-labelledby="plan" className={parts.card}>
      <Group gap="xs" mb={4}>
        <Title order={2} id="plan">
          <span style={{ textTransform: "capitalize" }}>{used.plan}</span> plan
        </Title>
        <Tag tone={tone}>{word}</Tag>
      </Group>
      <Text size="sm" c="dimmed" mb="lg">
        {standing(used)} Used since {dayOf(used.period.start)}; counting begins anew on{" "}
        {dayOf(used.period.end)}.
      </Text>
      <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="xl" verticalSpacing="lg">
        {spend && <Meter label="AI tokens" used={spend.used} limit={spend.limit} format={compact} />}
        <Meter label="Enrichments" used={enrichments.used} limit={enrichments.limit} />
        <Meter label="Sessions" used={sessions.used} limit={sessions.limit} />
        <Meter label="Events" used={events.used} limit={events.limit} />
        <Meter label="Storage" used={storage.used} limit={storage.limit} format={bytes} />
      </SimpleGrid>
    </section>
  );
}
