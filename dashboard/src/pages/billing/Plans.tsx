import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import parts from "~/parts/parts.module.css";
import { Tag } from "~/parts/Tag";
import { formatCompact, pluralize } from "~/parts/format";
import { showSuccess, showError } from "~/parts/toast";
import classes from "./billing.module.css";
import { formatBytes, formatDay, formatMoney, type Plan } from "./catalog";
import type { Usage } from "./PlanUsage";

/** Opens a page of the payment provider; only http(s) URLs. */
function openProviderPage(url: string) {
  const page = URL.canParse(url, window.location.origin) ? new URL(url, window.location.origin) : null;
  if (page && ["https:", "http:"].includes(page.protocol)) window.location.assign(page);
  else showError(new Error("The payment provider returned an invalid link. Try again later."));
}

interface PlanCardProps {
  plan: Plan;
  current: boolean;
  paid: boolean;
  seats: number;
}

function PlanCard({ plan, current, paid, seats }: PlanCardProps) {
  // A plan already paid for can only change its number of seats.
  const action = !current ? "Choose" : !paid ? "Pay" : plan.perSeat ? "Change seats" : null;
  const [seatCount, setSeatCount] = useState<number | string>(seats);
  const checkout = useSend("post", "/api/billing/checkout");
  const open = () => {
    const back = `${window.location.origin}/billing`;
    const body = {
      planId: plan.id,
      seats: plan.perSeat ? Math.max(1, Number(seatCount) || 1) : null,
      successUrl: back,
      cancelUrl: back,
    };
    checkout.mutate({ body }, { onSuccess: (page) => openProviderPage(page.url) });
  };
  return (
    <div className={classes.planCard}>
      <Group gap="xs">
        <Title order={3} className={classes.planName}>
          {plan.id}
        </Title>
        {current && <Tag tone="good">Current</Tag>}
      </Group>
      <Text>
        <b>{formatMoney(plan.price)}</b>{" "}
        <Text span size="sm" c="dimmed">
          {plan.perSeat ? "per seat per month" : "per month"}
        </Text>
      </Text>
      <ul className={classes.planLimits}>
        <li>{formatCompact(plan.aiTokens)} AI tokens per month</li>
        <li>{formatCompact(plan.enrichments)} enrichments per month</li>
        <li>{formatCompact(plan.sessions)} sessions per month</li>
        <li>{formatCompact(plan.events)} events per month</li>
        <li>{pluralize(plan.projects, "project")}</li>
        <li>{formatBytes(plan.storage)} storage</li>
      </ul>
      {plan.perSeat && (
        <NumberInput
          label="Seats"
          value={seatCount}
          onChange={setSeatCount}
          min={1}
          max={10_000}
          allowDecimal={false}
        />
      )}
      {action && (
        <Button
          variant={current ? "default" : "filled"}
          onClick={open}
          loading={checkout.isPending}
          mt="auto"
          aria-label={[action, current && (paid ? "of" : "for"), "the", plan.id, "plan"]
            .filter(Boolean)
            .join(" ")}
        >
          {action}
        </Button>
      )}
    </div>
  );
}

function CancelPlan({ usage }: { usage: Usage }) {
  const [confirming, setConfirming] = useState(false);
  const cancel = useSend("post", "/api/billing/cancel", { invalidates: ["/api/billing", "/api/auth/me"] });
  const end = usage.subscription.periodEnd;
  const send = () =>
    cancel.mutate(
      {},
      {
        onSuccess: (result) => {
          setConfirming(false);
          showSuccess(`Plan canceled. It stays active until ${formatDay(result.cancelAt)}.`);
        },
      },
    );
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setConfirming(true)}>
        Cancel plan
      </Button>
      <Modal opened={confirming} onClose={() => setConfirming(false)} title="Cancel plan?" centered>
        <Stack>
          <Text>
            You won't be charged again.{" "}
            {end ? `The plan stays active until ${formatDay(end)}; after that` : "After that"} the team moves
            to this server's default plan and its limits. Your memories are kept and remain readable.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setConfirming(false)}>
              Keep plan
            </Button>
            <Button color="red" onClick={send} loading={cancel.isPending}>
              Cancel plan
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Plan selection, for the owner. */
export function Plans({ usage, plans }: { usage: Usage; plans: Plan[] }) {
  const portal = useSend("post", "/api/billing/portal");
  const paid = ["active", "past_due"].includes(usage.subscription.status);
  return (
    <section aria-labelledby="plans" className={parts.card}>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2} id="plans">
          Change plan
        </Title>
        <Group gap="xs">
          {paid && <CancelPlan usage={usage} />}
          <Button
            variant="default"
            loading={portal.isPending}
            onClick={() => portal.mutate({}, { onSuccess: (page) => openProviderPage(page.url) })}
          >
            Manage payment
          </Button>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {plans.map((plan) => (
          <PlanCard
            key={`${plan.id} ${usage.subscription.seats}`}
            plan={plan}
            current={plan.id === usage.plan}
            paid={paid}
            seats={Math.max(1, usage.subscription.seats)}
          />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt="md">
        You&apos;ll confirm the price on the next page before anything changes.
      </Text>
    </section>
  );
}
