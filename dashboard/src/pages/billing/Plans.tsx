import { Button, Group, Modal, NumberInput, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import parts from "~/parts/parts.module.css";
import { Tag } from "~/parts/Tag";
import { compact, count } from "~/parts/Time";
import { showDone, showProblem } from "~/parts/toast";
import classes from "./billing.module.css";
import { bytes, dayOf, money, type Plan } from "./offers";
import type { Used } from "./Usage";

/** On to a page of the payment provider: a whole navigation, away from here, and only to a page of the web. */
function leave(url: string) {
  const page = URL.canParse(url, window.location.origin) ? new URL(url, window.location.origin) : null;
  if (page && ["https:", "http:"].includes(page.protocol)) window.location.assign(page);
  else showProblem(new Error("The payment provider gave an address that cannot be opened."));
}

interface Offered {
  plan: Plan;
  current: boolean;
  paid: boolean;
  seats: number;
}

function Offer({ plan, current, paid, seats }: Offered) {
  // What one has and pays for can only be had for more or fewer people.
  const word = !current ? "Choose" : !paid ? "Pay" : plan.perSeat ? "Change seats" : null;
  const [wanted, setWanted] = useState<number | string>(seats);
  const checkout = useSend("post", "/api/billing/checkout");
  const open = () => {
    const back = `${window.location.origin}/billing`;
    const body = {
      planId: plan.id,
      seats: plan.perSeat ? Math.max(1, Number(wanted) || 1) : null,
      successUrl: back,
      cancelUrl: back,
    };
    checkout.mutate({ body }, { onSuccess: (page) => leave(page.url) });
  };
  return (
    <div className={classes.offer}>
      <Group gap="xs">
        <Title order={3} className={classes.offerName}>
          {plan.id}
        </Title>
        {current && <Tag tone="good">yours</Tag>}
      </Group>
      <Text>
        <b>{money(plan.price)}</b>{" "}
        <Text span size="sm" c="dimmed">
          {plan.perSeat ? "a seat and month" : "a month"}
        </Text>
      </Text>
      <ul className={classes.terms}>
        <li>{compact(plan.aiTokens)} AI tokens</li>
        <li>{count(plan.projects)} projects</li>
        <li>{compact(plan.enrichments)} enrichments</li>
        <li>{compact(plan.sessions)} sessions</li>
        <li>{compact(plan.events)} events</li>
        <li>{bytes(plan.storage)}</li>
      </ul>
      {plan.perSeat && (
        <NumberInput
          label="Seats"
          value={wanted}
          onChange={setWanted}
          min={1}
          max={10_000}
          allowDecimal={false}
        />
      )}
      {word && (
        <Button
          variant={current ? "default" : "filled"}
          onClick={open}
          loading={checkout.isPending}
          mt="auto"
          aria-label={[word, current && (paid ? "of" : "for"), "the", plan.id, "plan"]
            .filter(Boolean)
            .join(" ")}
        >
          {word}
        </Button>
      )}
    </div>
  );
}

function Cancel({ used }: { used: Used }) {
  const [asked, setAsked] = useState(false);
  const cancel = useSend("post", "/api/billing/cancel", { touches: ["/api/billing", "/api/auth/me"] });
  const end = used.subscription.periodEnd;
  const send = () =>
    cancel.mutate(
      {},
      {
        onSuccess: (done) => {
          setAsked(false);
          showDone(`Cancelled. The plan ends on ${dayOf(done.cancelAt)}.`);
        },
      },
    );
  return (
    <>
      <Button variant="subtle" color="red" onClick={() => setAsked(true)}>
        Cancel the plan
      </Button>
      <Modal opened={asked} onClose={() => setAsked(false)} title="Cancel the plan?" centered>
        <Stack>
          <Text>
            Nothing is charged any more. {end ? `All stays as it is until ${dayOf(end)}; then` : "Then"} the
            team goes back to the plan that new teams get here, with its limits. The memory stays and can
            always be read.
          </Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsked(false)}>
              Keep the plan
            </Button>
            <Button color="red" onClick={send} loading={cancel.isPending}>
              Cancel it
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}

/** Plans to change to, for the owner. */
export function Plans({ used, plans }: { used: Used; plans: Plan[] }) {
  const portal = useSend("post", "/api/billing/portal");
  const paid = ["active", "past_due"].includes(used.subscription.status);
  return (
    <section aria-labelledby="plans" className={parts.card}>
      <Group justify="space-between" mb="md" gap="xs">
        <Title order={2} id="plans">
          Change the plan
        </Title>
        <Group gap="xs">
          {paid && <Cancel used={used} />}
          <Button
            variant="default"
            loading={portal.isPending}
            onClick={() => portal.mutate({}, { onSuccess: (page) => leave(page.url) })}
          >
            Invoices and means of payment
          </Button>
        </Group>
      </Group>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        {plans.map((plan) => (
          <Offer
            key={`${plan.id} ${used.subscription.seats}`}
            plan={plan}
            current={plan.id === used.plan}
            paid={paid}
            seats={Math.max(1, used.subscription.seats)}
          />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt="md">
        You confirm the price on the next page before anything changes. More than this by contract: the
        enterprise plan has no limits.
      </Text>
    </section>
  );
}
