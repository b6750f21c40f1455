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
import { formatCompact, formatNumber } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { formatMoney, type Pack } from "./catalog";

type Settings = components["schemas"]["AutoRecharge"];

interface Draft {
  enabled: boolean;
  threshold: number | "";
  packId: string;
  limit: number | "";
}

const toDraft = (settings: Settings, packs: Pack[]): Draft => ({
  enabled: settings.enabled,
  threshold: settings.threshold ?? 500_000,
  packId: settings.packId ?? packs[0]?.id ?? "",
  limit: settings.spendingLimit / 100,
});

const toNumber = (value: string | number): number | "" => (value === "" ? "" : Number(value));

/** Explains what the settings will do. The balance is null for users who can't save them. */
function explain(draft: Draft, packs: Pack[], balance: number | null): { text: string; warn: boolean } {
  const pack = packs.find((candidate) => candidate.id === draft.packId);
  const { threshold, limit } = draft;
  if (!draft.enabled)
    return { text: "Off. When your credits run out, enrichment and answers pause.", warn: false };
  if (!pack || threshold === "" || limit === "")
    return { text: "Set a threshold, a pack and a spending limit.", warn: true };
  const maxPurchases = Math.floor((limit * 100) / pack.price);
  if (maxPurchases === 0)
    return {
      text: `This pack costs ${formatMoney(pack.price)}, more than the limit. Raise the limit or choose a smaller pack.`,
      warn: true,
    };
  const immediate =
    balance !== null && balance < threshold
      ? ` Your balance is ${formatNumber(balance)}, so the first pack is bought as soon as you save.`
      : "";
  return {
    text:
      `When your balance drops below ${formatNumber(threshold)} tokens, Loremark buys ` +
      `${formatCompact(pack.tokens)} tokens for ${formatMoney(pack.price)}, at most ${maxPurchases === 1 ? "once" : `${maxPurchases} times`} per billing period.${immediate}`,
    warn: immediate !== "",
  };
}

interface FieldsProps {
  draft: Draft;
  packs: Pack[];
  onChange: (part: Partial<Draft>) => void;
}

function Fields({ draft, packs, onChange }: FieldsProps) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }}>
      <NumberInput
        label="When balance drops below"
        value={draft.threshold}
        onChange={(value) => onChange({ threshold: toNumber(value) })}
        min={0}
        max={1_000_000_000}
        step={100_000}
        thousandSeparator=","
        allowDecimal={false}
      />
      <Select
        label="Buy"
        data={packs.map((pack) => ({
          value: pack.id,
          label: `${formatCompact(pack.tokens)} for ${formatMoney(pack.price)}`,
        }))}
        value={draft.packId}
        onChange={(packId) => packId && onChange({ packId })}
        allowDeselect={false}
      />
      <NumberInput
        label="Spending limit per period"
        value={draft.limit}
        onChange={(value) => onChange({ limit: toNumber(value) })}
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

/** The settings as text, for users who can't change them. */
function Summary({ settings, packs }: { settings: Settings; packs: Pack[] }) {
  const text = settings.paused
    ? "Auto-recharge is paused because a purchase failed. The team's owner can resume it."
    : settings.enabled
      ? explain(toDraft(settings, packs), packs, null).text
      : "Auto-recharge is off.";
  return <Text size="sm">{text}</Text>;
}

interface AutoRechargeProps {
  settings: Settings;
  packs: Pack[];
  balance: number;
  canPay: boolean;
}

/** Buys credits automatically before they run out. */
export function AutoRecharge({ settings, packs, balance, canPay }: AutoRechargeProps) {
  const [draft, setDraft] = useState(() => toDraft(settings, packs));
  useEffect(() => setDraft(toDraft(settings, packs)), [settings, packs]);
  const save = useSend("put", "/api/billing/credits/auto-recharge", { invalidates: ["/api/billing"] });
  const explanation = explain(draft, packs, balance);
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
      { onSuccess: (saved) => showSuccess(saved.enabled ? "Auto-recharge is on." : "Auto-recharge is off.") },
    );
  return (
    <section aria-labelledby="recharge" className={parts.card}>
      <Title order={2} id="recharge" mb="xs">
        Auto-recharge
      </Title>
      {canPay ? (
        <Stack gap="md">
          {settings.paused && (
            <Alert color="red" variant="outline" role="status">
              Auto-recharge is paused because a purchase failed. Check your payment method, then save to
              resume.
            </Alert>
          )}
          <Switch
            label="Auto-recharge credits"
            checked={draft.enabled}
            onChange={(event) => setDraft({ ...draft, enabled: event.currentTarget.checked })}
          />
          {draft.enabled && (
            <Fields draft={draft} packs={packs} onChange={(part) => setDraft({ ...draft, ...part })} />
          )}
          {explanation.warn ? (
            <Alert color="yellow" variant="outline" role="status">
              {explanation.text}
            </Alert>
          ) : (
            <Text size="sm" c="dimmed" role="status">
              {explanation.text}
            </Text>
          )}
          <Group>
            <Button onClick={send} loading={save.isPending} disabled={!complete}>
              Save
            </Button>
          </Group>
        </Stack>
      ) : (
        <Summary settings={settings} packs={packs} />
      )}
    </section>
  );
}
