import { Group, Stack, Text, Title } from "@mantine/core";
import { IconEye, IconLock } from "@tabler/icons-react";
import type { components } from "~/api/schema";
import { useGet } from "~/api/hooks";
import { Empty, Loaded, Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { count } from "~/parts/Time";
import { manages, useMe } from "~/shell/login";
import { BalanceChart } from "./BalanceChart";
import classes from "./billing.module.css";
import { Ledger } from "./Ledger";
import { useOffers, type Pack } from "./offers";
import { Packs } from "./Packs";
import { Plans } from "./Plans";
import { Recharge } from "./Recharge";
import { Usage } from "./Usage";

interface CreditsProps {
  credits: components["schemas"]["Credits"];
  packs: Pack[];
  mayPay: boolean;
}

function Credits({ credits, packs, mayPay }: CreditsProps) {
  const { balance, transactions } = credits;
  return (
    <section aria-labelledby="credits" className={parts.card}>
      <Title order={2} id="credits">
        Credits
      </Title>
      <Text className={classes.balance}>
        {count(balance)}{" "}
        <Text span size="sm" c="dimmed" fw={400}>
          tokens left
        </Text>
      </Text>
      <Text size="sm" c="dimmed" mb="lg">
        They are used when the plan's AI tokens of the month are spent, and never expire.
      </Text>
      {transactions.length === 0 ? (
        <Text size="sm" mb="lg" className={classes.nothing}>
          No credits were bought or used yet. Here you would see how the balance goes.
        </Text>
      ) : (
        <div className={classes.history}>
          <BalanceChart balance={balance} transactions={transactions} />
          <Ledger transactions={transactions} />
        </div>
      )}
      <Title order={3} mb="xs" size="h5">
        {mayPay ? "Buy more" : "What more would cost"}
      </Title>
      <Packs packs={packs} mayPay={mayPay} />
    </section>
  );
}

function ReadsOnly() {
  const team = useGet("/api/team");
  const owner = team.data?.find((one) => one.role === "owner" && one.status === "active");
  return (
    <Group className={parts.card} wrap="nowrap" align="flex-start" gap="sm">
      <IconEye size={22} aria-hidden className={classes.icon} />
      <div>
        <Text fw={600}>You can read this page</Text>
        <Text size="sm">
          Only the team's owner{owner && "name" in owner ? `, ${owner.name},` : ""} can pay: buy credits, set
          auto-recharge, change or cancel the plan.
        </Text>
      </div>
    </Group>
  );
}

function Books() {
  const mayPay = useMe().role === "owner";
  const used = useGet("/api/billing/usage");
  const credits = useGet("/api/billing/credits");
  const offers = useOffers();
  const overview = useGet("/api/v2/overview");
  return (
    <Stack gap="lg">
      {!mayPay && <ReadsOnly />}
      <Loaded of={used}>{(data) => <Usage used={data} spend={overview.data?.spend ?? null} />}</Loaded>
      <Loaded of={offers}>
        {({ packs, plans }) => (
          <>
            <Loaded of={credits}>
              {(data) => (
                <>
                  <Credits credits={data} packs={packs} mayPay={mayPay} />
                  <Recharge set={data.autoRecharge} packs={packs} balance={data.balance} mayPay={mayPay} />
                </>
              )}
            </Loaded>
            {mayPay && used.data && <Plans used={used.data} plans={plans} />}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

export default function Billing() {
  const open = manages(useMe());
  return (
    <Page title="Billing" about="What the team's plan holds, what is used of it, and credits for more.">
      {open ? (
        <Books />
      ) : (
        <Empty icon={<IconLock size={40} />} title="This page is for the owner and admins">
          The owner pays; admins can read what is used. Ask one of them if work has stopped for lack of
          credits.
        </Empty>
      )}
    </Page>
  );
}
