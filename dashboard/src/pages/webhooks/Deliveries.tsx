import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { usePages, useSend } from "~/api/hooks";
import { Loaded } from "~/parts/Page";
import { Tag, type Tone } from "~/parts/Tag";
import { amount, dateTime, duration, Time } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import type { Delivery, Webhook } from "./events";
import classes from "./webhooks.module.css";

const PAGE = 25;

const STATES: Record<Delivery["status"], [string, Tone]> = {
  delivered: ["delivered", "good"],
  pending: ["waiting", "info"],
  failed: ["failed", "bad"],
};

export function DeliveryTag({ status }: { status: Delivery["status"] }) {
  const [word, tone] = STATES[status];
  return <Tag tone={tone}>{word}</Tag>;
}

/** What came of it, in a sentence. */
export function outcome(one: Delivery): string {
  if (one.status === "delivered")
    return `Answered ${one.responseStatus ?? ""} at the ${one.attempts === 1 ? "first" : `${one.attempts}th`} try.`;
  const why = one.responseStatus
    ? `The receiver answered ${one.responseStatus}.`
    : one.error
      ? `${one.error[0]?.toUpperCase()}${one.error.slice(1)}.`
      : "";
  if (one.status === "failed") return `${why || "It failed."} Not tried again by itself.`;
  if (one.attempts === 0) return "It is about to be sent.";
  return `${why} The next try is ${one.nextAttemptAt ? `at ${dateTime(one.nextAttemptAt)}` : "soon"}.`;
}

function Details({ one }: { one: Delivery }) {
  const took = one.deliveredAt ? Date.parse(one.deliveredAt) - Date.parse(one.createdAt) : null;
  const rows: [string, string][] = [
    ["What came of it", outcome(one)],
    ["Event id", one.eventId],
    ["Delivery id", one.id],
    ["Made", dateTime(one.createdAt)],
    ["Delivered", one.deliveredAt ? `${dateTime(one.deliveredAt)}, ${duration(took ?? 0)} later` : "no"],
    ["Answer", one.responseStatus === null ? "none" : String(one.responseStatus)],
    ...(one.error ? [["Fault", one.error] as [string, string]] : []),
  ];
  return (
    <dl className={classes.details}>
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Row({ one, webhook, maySend }: { one: Delivery; webhook: Webhook; maySend: boolean }) {
  const [open, setOpen] = useState(false);
  const again = useSend("post", "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", {
    touches: ["/api/webhooks"],
  });
  const send = () =>
    again.mutate(
      { path: { id: webhook.id, deliveryId: one.id } },
      { onSuccess: () => showDone("It is sent once more, with the same id and body.") },
    );
  return (
    <li className={classes.delivery}>
      <div className={classes.deliveryLine}>
        <UnstyledButton
          className={classes.fold}
          aria-expanded={open}
          aria-label={`${one.type}, ${one.status}: details`}
          onClick={() => setOpen(!open)}
        >
          {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          <DeliveryTag status={one.status} />
          <span className={classes.type}>{one.type}</span>
        </UnstyledButton>
        <Text size="sm" c="dimmed" className={classes.answer}>
          {one.responseStatus ? `answer ${one.responseStatus}` : (one.error ?? "no answer yet")},{" "}
          {amount(one.attempts, "attempt")}
        </Text>
        <Text size="sm" c="dimmed" className={classes.when}>
          <Time at={one.createdAt} />
        </Text>
        {maySend && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={send}
            loading={again.isPending}
            disabled={one.status === "pending"}
            aria-label={`Redeliver ${one.type}`}
          >
            Redeliver
          </Button>
        )}
      </div>
      {open && <Details one={one} />}
    </li>
  );
}

/** What was told to a webhook, newest first; it changes while one looks. */
export function Deliveries({ webhook, maySend }: { webhook: Webhook; maySend: boolean }) {
  const log = usePages("/api/webhooks/{id}/deliveries", { path: { id: webhook.id }, query: { limit: PAGE } });
  return (
    <Loaded of={log}>
      {({ pages }) => {
        const all = pages.flatMap((page) => page.data);
        if (all.length === 0)
          return (
            <Text size="sm" c="dimmed" py="xs">
              Nothing was sent yet. Send a test, or wait for the first of its events.
            </Text>
          );
        return (
          <>
            <ul className={classes.log} aria-label="Deliveries">
              {all.map((one) => (
                <Row key={one.id} one={one} webhook={webhook} maySend={maySend} />
              ))}
            </ul>
            <Group justify="space-between" mt="xs">
              <Text size="xs" c="dimmed">
                Deliveries are kept for a month after they have ended.
              </Text>
              {log.hasNextPage && (
                <Button
                  size="xs"
                  variant="subtle"
                  loading={log.isFetchingNextPage}
                  onClick={() => void log.fetchNextPage()}
                >
                  Show older ones
                </Button>
              )}
            </Group>
          </>
        );
      }}
    </Loaded>
  );
}
