import {
  Alert,
  Button,
  Group,
  NumberInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from "@mantine/core";
import { useEffect, useState } from "react";
import type { components } from "~/api/schema";
import { useSend } from "~/api/hooks";
import parts from "~/parts/parts.module.css";
import { compact, count } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import { money, type Pack } from "./offers";

type Settings = components["schemas"]["AutoRecharge"];

interface Draft {
  enabled: boolean;
  threshold: number | "";
  packId: string;
  limit: number | "";
}

const draftOf = (set: Settings, packs: Pack[]): Draft => ({
  enabled: set.enabled,
  threshold: set.threshold ?? 500_000,
  packId: set.packId ?? packs[0]?.id ?? "",
  limit: set.spendingLimit / 100,
});

const number = (value: string | number): number | "" => (value === "" ? "" : Number(value));

/** What the settings will do, said before they are saved. */
function meaning(draft: Draft, packs: Pack[], balance: number): { text: string; warn: boolean } {
  const pack = packs.find((one) => one.id === draft.packId);
  const { threshold, limit } = draft;
  if (!draft.enabled)
    return { text: "Nothing is bought by itself. When the credits are spent, work stops.", warn: false };
  if (!pack || threshold === "" || limit === "")
    return { text: "Say when, what and for how much at most.", warn: true };
  const times = Math.floor((limit * 100) / pack.price);
  if (times === 0)
    return {
      text: `A pack costs ${money(pack.price)}: with this limit nothing would ever be bought.`,
      warn: true,
    };
  const now = balance < threshold ? ` You have ${count(balance)} now: the first one is bought at once.` : "";
  return {
    text:
      `Below ${count(threshold)} tokens, ${compact(pack.tokens)} are bought for ${money(pack.price)}: ` +
      `${times === 1 ? "once" : `${times} times`} a billing period at most.${now}`,
    warn: now !== "",
  };
}

interface FieldsProps {
  draft: Draft;
  packs: Pack[];
  change: (part: Partial<Draft>) => void;
}

function Fields({ draft, packs, change }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <NumberInput
        label="When fewer tokens are left than"
        value={draft.threshold}
        onChange={(value) => change({ threshold: number(value) })}
        min={0}
        max={1_000_000_000}
        step={100_000}
        thousandSeparator=","
        allowDecimal={false}
      />
      <Select
        label="Buy this pack"
        data={packs.map((pack) => ({
          value: pack.id,
          label: `${compact(pack.tokens)} for ${money(pack.price)}`,
        }))}
        value={draft.packId}
        onChange={(packId) => packId && change({ packId })}
        allowDeselect={false}
      />
      <NumberInput
        label="Spend at most, a period"
        value={draft.limit}
        onChange={(value) => change({ limit: number(value) })}
        min={0}
        max={1_000_000}
        step={10}
        decimalScale={2}
        prefix="€"
        thousandSeparator=","
      />
    </SimpleGrid>
  );
}

/** Told in words to those who only read. */
function Told({ set, packs, balance }: { set: Settings; packs: Pack[]; balance: number }) {
  const text = set.enabled
    ? meaning(draftOf(set, packs), packs, balance).text
    : "Auto-recharge is off: nothing is bought by itself.";
  return <Text size="sm">{text}</Text>;
}

interface RechargeProps {
  set: Settings;
  packs: Pack[];
  balance: number;
  mayPay: boolean;
}

/** Credits that are bought by themselves before work stops. */
export function Recharge({ set, packs, balance, mayPay }: RechargeProps) {
  const [draft, setDraft] = useState(() => draftOf(set, packs));
  useEffect(() => setDraft(draftOf(set, packs)), [set, packs]);
  const save = useSend("put", "/api/billing/credits/auto-recharge", { touches: ["/api/billing"] });
  const said = meaning(draft, packs, balance);
  const complete = draft.threshold !== "" && draft.limit !== "";
  const send = () =>
    save.mutate(
      {
        body: {
          enabled: draft.enabled,
          threshold: Number(draft.threshold),
          packId: draft.packId,
          spendingLimit: Math.round(Number(draft.limit) * 100),
        },
      },
      { onSuccess: (now) => showDone(now.enabled ? "Auto-recharge is on." : "Auto-recharge is off.") },
    );
  return (
    <section aria-labelledby="recharge" className={parts.card}>
      <Title order={2} id="recharge" mb="xs">
        Auto-recharge
      </Title>
      {mayPay ? (
        <Stack gap="md">
          <Switch
            label="Buy credits by itself when few are left"
            checked={draft.enabled}
            onChange={(event) => setDraft({ ...draft, enabled: event.currentTarget.checked })}
          />
          {draft.enabled && (
            <Fields draft={draft} packs={packs} change={(part) => setDraft({ ...draft, ...part })} />
          )}
          {said.warn ? (
            <Alert color="yellow" variant="outline" role="status">
              {said.text}
            </Alert>
          ) : (
            <Text size="sm" c="dimmed" role="status">
              {said.text}
            </Text>
          )}
          <Group>
            <Button onClick={send} loading={save.isPending} disabled={!complete}>
              Save auto-recharge
            </Button>
          </Group>
        </Stack>
      ) : (
        <Told set={set} packs={packs} balance={balance} />
      )}
    </section>
  );
}
