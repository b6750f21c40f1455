import { Group, Stack, Text, Title } from "@mantine/core";
import { IconEye, IconLock } from "@tabler/icons-react";
import type { components } from "~/api/schema";
import { useGet } from "~/api/hooks";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import parts from "~/parts/parts.module.css";
import { formatNumber } from "~/parts/format";
import { canManageTeam, useMe } from "~/shell/login";
import { BalanceChart } from "./BalanceChart";
import classes from "./billing.module.css";
import { Transactions } from "./Transactions";
import { useCatalog, type Pack } from "./catalog";
import { CreditPacks } from "./CreditPacks";
import { Plans } from "./Plans";
import { AutoRecharge } from "./AutoRecharge";
import { PlanUsage } from "./PlanUsage";

interface CreditsProps {
  credits: components["schemas"]["Credits"];
  packs: Pack[];
  charges: boolean;
  canPay: boolean;
}

function Credits({ credits, packs, charges, canPay }: CreditsProps) {
  const { balance, transactions } = credits;
  return (
    <section aria-labelledby="credits" className={parts.card}>
      <Title order={2} id="credits">
        Credits
      </Title>
      <Text className={classes.balance}>
        {formatNumber(balance)}{" "}
        <Text span size="sm" c="dimmed" fw={400}>
          tokens left
        </Text>
      </Text>
      <Text size="sm" c="dimmed" mb="lg">
        Credits are used once the plan's monthly AI tokens run out. They never expire.
      </Text>
      {transactions.length === 0 ? (
        <Text size="sm" mb="lg" className={classes.noHistory}>
          No credits purchased yet. Your balance over time appears here.
        </Text>
      ) : (
        <div className={classes.history}>
          <BalanceChart balance={balance} transactions={transactions} />
          <Transactions transactions={transactions} />
        </div>
      )}
      <Title order={3} mb="xs" size="h5">
        {canPay ? "Buy credits" : "Credit prices"}
      </Title>
      <CreditPacks packs={packs} charges={charges} canPay={canPay} />
    </section>
  );
}

function ReadOnlyNotice() {
  const team = useGet("/api/team");
  const owner = team.data?.find((member) => member.role === "owner" && member.status === "active");
  return (
    <Group className={parts.card} wrap="nowrap" align="flex-start" gap="sm">
      <IconEye size={22} aria-hidden className={classes.icon} />
      <div>
        <Text fw={600}>You have read-only access</Text>
        <Text size="sm">
          Only the team's owner{owner && "name" in owner ? `, ${owner.name},` : ""} can buy credits, set up
          auto-recharge, and change or cancel the plan.
        </Text>
      </div>
    </Group>
  );
}

function BillingSections() {
  const canPay = useMe().role === "owner";
  const usage = useGet("/api/billing/usage");
  const credits = useGet("/api/billing/credits");
  const catalog = useCatalog();
  const overview = useGet("/api/v2/overview");
  return (
    <Stack gap="lg">
      {!canPay && <ReadOnlyNotice />}
      <Loaded query={usage}>
        {(data) => <PlanUsage usage={data} spend={overview.data?.spend ?? null} />}
      </Loaded>
      <Loaded query={catalog}>
        {({ packs, plans, chargesMoney }) => (
          <>
            <Loaded query={credits}>
              {(data) => (
                <>
                  <Credits credits={data} packs={packs} charges={chargesMoney} canPay={canPay} />
                  <AutoRecharge
                    settings={data.autoRecharge}
                    packs={packs}
                    balance={data.balance}
                    canPay={canPay}
                  />
                </>
              )}
            </Loaded>
            {canPay && usage.data && <Plans usage={usage.data} plans={plans} />}
          </>
        )}
      </Loaded>
    </Stack>
  );
}

export default function Billing() {
  const canView = canManageTeam(useMe());
  return (
    <Page title="Billing" about="Your plan, usage and credits.">
      {canView ? (
        <BillingSections />
      ) : (
        <EmptyState icon={<IconLock size={40} />} title="Only owners and admins can view billing">
          If enrichment or answers have stopped because credits ran out, ask the team's owner to buy more.
        </EmptyState>
      )}
    </Page>
  );
}
