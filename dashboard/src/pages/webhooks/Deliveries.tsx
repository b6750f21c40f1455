import { Button, Group, Text, UnstyledButton } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { useGetPages, useSend } from "~/api/hooks";
import { Loaded } from "~/parts/Page";
import { Tag, type Tone } from "~/parts/Tag";
import { pluralize, formatDateTime, formatMs, RelativeTime } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import type { Delivery, Webhook } from "./events";
import classes from "./webhooks.module.css";

const PAGE_SIZE = 25;

const STATES: Record<Delivery["status"], [string, Tone]> = {
  delivered: ["delivered", "good"],
  pending: ["pending", "info"],
  failed: ["failed", "bad"],
};

export function DeliveryTag({ status }: { status: Delivery["status"] }) {
  const [label, tone] = STATES[status];
  return <Tag tone={tone}>{label}</Tag>;
}

/** The result of a delivery, in a sentence or two. */
export function describeOutcome(delivery: Delivery): string {
  if (delivery.status === "delivered")
    return `Received status ${delivery.responseStatus ?? ""} after ${pluralize(delivery.attempts, "attempt")}.`;
  const reason = delivery.responseStatus
    ? `The receiver responded with status ${delivery.responseStatus}.`
    : delivery.error
      ? `${delivery.error[0]?.toUpperCase()}${delivery.error.slice(1)}.`
      : "";
  if (delivery.status === "failed") return `${reason || "The delivery failed."} No more automatic retries.`;
  if (delivery.attempts === 0) return "Queued for delivery.";
  return `${reason} Next attempt ${delivery.nextAttemptAt ? `at ${formatDateTime(delivery.nextAttemptAt)}` : "soon"}.`;
}

function Details({ delivery }: { delivery: Delivery }) {
  const { createdAt, deliveredAt, responseStatus, error } = delivery;
  const tookMs = deliveredAt ? Date.parse(deliveredAt) - Date.parse(createdAt) : 0;
  const rows: [string, string][] = [
    ["Result", describeOutcome(delivery)],
    ["Event ID", delivery.eventId],
    ["Delivery ID", delivery.id],
    ["Created", formatDateTime(createdAt)],
    ["Delivered", deliveredAt ? `${formatDateTime(deliveredAt)}, ${formatMs(tookMs)} later` : "no"],
    ["Response", responseStatus === null ? "none" : String(responseStatus)],
    ...(error ? [["Error", error] as [string, string]] : []),
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

function DeliveryRow({
  delivery,
  webhook,
  canRedeliver,
}: {
  delivery: Delivery;
  webhook: Webhook;
  canRedeliver: boolean;
}) {
  const [open, setOpen] = useState(false);
  const redeliver = useSend("post", "/api/webhooks/{id}/deliveries/{deliveryId}/redeliver", {
    invalidates: ["/api/webhooks"],
  });
  const onRedeliver = () =>
    redeliver.mutate(
      { path: { id: webhook.id, deliveryId: delivery.id } },
      { onSuccess: () => showSuccess("Redelivering with the same ID and body.") },
    );
  return (
    <li className={classes.delivery}>
      <div className={classes.deliveryLine}>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={open}
          aria-label={`${delivery.type}, ${delivery.status}: details`}
          onClick={() => setOpen(!open)}
        >
          {open ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          <DeliveryTag status={delivery.status} />
          <span className={classes.type}>{delivery.type}</span>
        </UnstyledButton>
        <Text size="sm" c="dimmed" className={classes.response}>
          {delivery.responseStatus
            ? `status ${delivery.responseStatus}`
            : (delivery.error ?? "no response yet")}
          , {pluralize(delivery.attempts, "attempt")}
        </Text>
        <Text size="sm" c="dimmed" className={classes.when}>
          <RelativeTime at={delivery.createdAt} />
        </Text>
        {canRedeliver && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRefresh size={14} />}
            onClick={onRedeliver}
            loading={redeliver.isPending}
            disabled={delivery.status === "pending"}
            aria-label={`Redeliver ${delivery.type}`}
          >
            Redeliver
          </Button>
        )}
      </div>
      {open && <Details delivery={delivery} />}
    </li>
  );
}

/** A webhook's deliveries, newest first, updated live. */
export function Deliveries({ webhook, canRedeliver }: { webhook: Webhook; canRedeliver: boolean }) {
  const log = useGetPages("/api/webhooks/{id}/deliveries", {
    path: { id: webhook.id },
    query: { limit: PAGE_SIZE },
  });
  return (
    <Loaded query={log}>
      {({ pages }) => {
        const all = pages.flatMap((page) => page.data);
        if (all.length === 0)
          return (
            <Text size="sm" c="dimmed" py="xs">
              No deliveries yet. Send a test, or wait for the first event.
            </Text>
          );
        return (
          <>
            <ul className={classes.log} aria-label="Deliveries">
              {all.map((delivery) => (
                <DeliveryRow
                  key={delivery.id}
                  delivery={delivery}
                  webhook={webhook}
                  canRedeliver={canRedeliver}
                />
              ))}
            </ul>
            <Group justify="space-between" mt="xs">
              <Text size="xs" c="dimmed">
                Finished deliveries are kept for one month.
              </Text>
              {log.hasNextPage && (
                <Button
                  size="xs"
                  variant="subtle"
                  loading={log.isFetchingNextPage}
                  onClick={() => void log.fetchNextPage()}
                >
                  Show older
                </Button>
              )}
            </Group>
          </>
        );
      }}
    </Loaded>
  );
}
