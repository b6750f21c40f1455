import { Alert, Button, Group, Modal, SimpleGrid, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import { compact, count } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import classes from "./billing.module.css";
import { money, newKey, type Pack } from "./offers";

interface Wanted {
  pack: Pack;
  /** The same for every try of one purchase: it is paid once, however often it is sent. */
  key: string;
}

function Confirm({ wanted, close }: { wanted: Wanted; close: () => void }) {
  const { pack, key } = wanted;
  const buy = useSend("post", "/api/billing/credits/purchase", {
    quiet: true,
    touches: ["/api/billing", "/api/v2/overview"],
  });
  const send = () =>
    buy.mutate(
      { body: { packId: pack.id }, idempotencyKey: key },
      {
        onSuccess: (bought) => {
          close();
          showDone(
            bought.purchased > 0
              ? `${count(bought.purchased)} tokens were added. You have ${count(bought.balance)}.`
              : "The payment is not confirmed yet. The credits come with its confirmation.",
          );
        },
      },
    );
  return (
    <Stack gap="md">
      <Text>
        {count(pack.tokens)} tokens for <b>{money(pack.price)}</b>. Your means of payment is charged at once.
        Credits never expire; they are used when the plan's allowance is spent.
      </Text>
      {buy.error && (
        <Alert color="red" variant="outline" title="It was not bought" role="alert">
          {buy.error.message}
          {buy.error.status === 0 && " You can safely try again: it is paid once at most."}
        </Alert>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} disabled={buy.isPending}>
          Not now
        </Button>
        <Button onClick={send} loading={buy.isPending} data-autofocus>
          Buy for {money(pack.price)}
        </Button>
      </Group>
    </Stack>
  );
}

/** Credits to buy. Who may not pay sees what they would cost. */
export function Packs({ packs, mayPay }: { packs: Pack[]; mayPay: boolean }) {
  const [wanted, setWanted] = useState<Wanted | null>(null);
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm">
        {packs.map((pack) => (
          <div key={pack.id} className={classes.pack}>
            <Text fw={650} size="lg">
              {compact(pack.tokens)}
            </Text>
            <Text size="xs" c="dimmed">
              tokens, {money(Math.round(pack.price / (pack.tokens / 1_000_000)))} a million
            </Text>
            {mayPay ? (
              <Button
                variant="default"
                fullWidth
                mt="xs"
                onClick={() => setWanted({ pack, key: newKey() })}
                aria-label={`Buy ${compact(pack.tokens)} tokens for ${money(pack.price)}`}
              >
                {money(pack.price)}
              </Button>
            ) : (
              <Text fw={600} mt="xs">
                {money(pack.price)}
              </Text>
            )}
          </div>
        ))}
      </SimpleGrid>
      <Modal opened={wanted !== null} onClose={() => setWanted(null)} title="Buy credits" centered>
        {wanted && <Confirm wanted={wanted} close={() => setWanted(null)} />}
      </Modal>
    </>
  );
}
