import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import { errorText } from "~/parts/errorText";
import { formatCompact, formatNumber } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import classes from "./billing.module.css";
import { formatMoney, newIdempotencyKey, type Pack } from "./catalog";

const NO_PAYMENT_METHOD = "Payment method required";

interface Purchase {
  pack: Pack;
  /** The same for every retry of one purchase, so it is charged only once. */
  key: string;
}

interface PurchaseFormProps {
  purchase: Purchase;
  charges: boolean;
  close: () => void;
}

function PurchaseForm({ purchase, charges, close }: PurchaseFormProps) {
  const { pack, key } = purchase;
  const buy = useSend("post", "/api/billing/credits/purchase", {
    quiet: true,
    invalidates: ["/api/billing", "/api/v2/overview"],
  });
  const send = () =>
    buy.mutate(
      { body: { packId: pack.id }, idempotencyKey: key },
      {
        onSuccess: (result) => {
          close();
          showSuccess(
            result.purchased > 0
              ? `${formatNumber(result.purchased)} tokens added. Your balance is ${formatNumber(result.balance)}.`
              : "The payment is being confirmed. Your credits are added once it is.",
          );
        },
      },
    );
  return (
    <Stack gap="md">
      <Text>
        {formatNumber(pack.tokens)} tokens for <b>{formatMoney(pack.price)}</b>.{" "}
        {charges
          ? "Your payment method is charged immediately."
          : "This server has no payment provider, so no money is charged."}{" "}
        Credits never expire and are used once the plan's AI tokens run out.
      </Text>
      {buy.error && (
        <Alert color="red" variant="outline" title="Purchase failed" role="alert">
          {buy.error.message === NO_PAYMENT_METHOD
            ? charges
              ? "Add a payment method under Manage payment, then try again."
              : "This server takes no payments. Ask the server administrator to grant you credits."
            : errorText(buy.error)}
          {buy.error.status === 0 && " You can safely try again: you are charged at most once."}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} disabled={buy.isPending}>
          Cancel
        </Button>
        <Button onClick={send} loading={buy.isPending} data-autofocus>
          Buy for {formatMoney(pack.price)}
        </Button>
      </Group>
    </Stack>
  );
}

interface CreditPacksProps {
  packs: Pack[];
  /** False if the server has no payment provider. */
  charges: boolean;
  canPay: boolean;
}

/** Credit packs for sale; users who can't pay see only the prices. */
export function CreditPacks({ packs, charges, canPay }: CreditPacksProps) {
  const [purchase, setPurchase] = useState<Purchase | null>(null);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {packs.map((pack) => (
          <div key={pack.id} className={classes.pack}>
            <Text fw={650} size="lg">
              {formatCompact(pack.tokens)}
            </Text>
            <Text size="xs" c="dimmed">
              tokens, {formatMoney(Math.round(pack.price / (pack.tokens / 1_000_000)))} per million
            </Text>
            {canPay ? (
              <Button
                variant="default"
                fullWidth
                mt="xs"
                onClick={() => setPurchase({ pack, key: newIdempotencyKey() })}
                aria-label={`Buy ${formatCompact(pack.tokens)} tokens for ${formatMoney(pack.price)}`}
              >
                {formatMoney(pack.price)}
              </Button>
            ) : (
              <Text fw={600} mt="xs">
                {formatMoney(pack.price)}
              </Text>
            )}
          </div>
        ))}
      </SimpleGrid>
      <Modal opened={purchase !== null} onClose={() => setPurchase(null)} title="Buy credits" centered>
        {purchase && <PurchaseForm purchase={purchase} charges={charges} close={() => setPurchase(null)} />}
      </Modal>
    </>
  );
}
