import {
  ActionIcon,
  Alert,
  Button,
  Group,
  Menu,
  Modal,
  Stack,
  Text,
  Title,
  UnstyledButton,
} from "@mantine/core";
import {
  IconChevronDown,
  IconChevronRight,
  IconDots,
  IconEdit,
  IconPlayerPause,
  IconPlayerPlay,
  IconSend,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useSend } from "~/api/hooks";
import { Tag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { Deliveries, describeOutcome } from "./Deliveries";
import { EVENTS, type Delivery, type Webhook } from "./events";
import { WebhookForm } from "./WebhookForm";
import classes from "./webhooks.module.css";

const INVALIDATED = ["/api/webhooks"];

/** The webhook URL, with its host emphasized. */
function WebhookUrl({ url }: { url: string }) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return (
    <Title order={2} className={classes.url}>
      {parsed ? (
        <>
          {parsed.host}
          <span className={classes.urlPath}>
            {parsed.pathname === "/" && !parsed.search ? "" : parsed.pathname + parsed.search}
          </span>
        </>
      ) : (
        url
      )}
    </Title>
  );
}

function TestResult({ delivery, onClose }: { delivery: Delivery; onClose: () => void }) {
  const delivered = delivery.status === "delivered";
  return (
    <Alert
      color={delivered ? "green" : "red"}
      variant="outline"
      title={delivered ? "Test delivered" : "Test failed"}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
      role="status"
    >
      <Text size="sm">
        {describeOutcome(delivery)}{" "}
        {!delivered &&
          (delivery.responseStatus
            ? "The receiver must respond with a status from 200 to 299."
            : "Check that the URL is correct, that the Loremark server can reach it, and that its certificate is valid.")}
      </Text>
    </Alert>
  );
}

function DeleteDialog({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  const remove = useSend("delete", "/api/webhooks/{id}", { invalidates: INVALIDATED });
  const onConfirm = () =>
    remove.mutate({ path: { id: webhook.id } }, { onSuccess: () => showSuccess("Webhook deleted.") });
  return (
    <Modal opened={opened} onClose={close} title="Delete webhook?" centered>
      <Stack>
        <Text className={classes.breakable}>
          {webhook.url} no longer receives events, and its delivery log is deleted. This can't be undone. To
          pause the webhook, disable it instead.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button color="red" onClick={onConfirm} loading={remove.isPending}>
            Delete webhook
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function WebhookMenu({
  webhook,
  canWrite,
  onEdit,
}: {
  webhook: Webhook;
  canWrite: boolean;
  onEdit: () => void;
}) {
  const [deleting, setDeleting] = useState(false);
  const update = useSend("patch", "/api/webhooks/{id}", { invalidates: INVALIDATED });
  const active = webhook.status === "active";
  const toggle = () =>
    update.mutate(
      { path: { id: webhook.id }, body: { status: active ? "disabled" : "active" } },
      {
        onSuccess: (updated) =>
          showSuccess(updated.status === "active" ? "Webhook enabled." : "Webhook disabled."),
      },
    );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`Actions for ${webhook.url}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {canWrite && (
            <>
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={onEdit}>
                Edit
              </Menu.Item>
              <Menu.Item
                leftSection={active ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
                onClick={toggle}
              >
                {active ? "Disable" : "Enable"}
              </Menu.Item>
            </>
          )}
          <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => setDeleting(true)}>
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <DeleteDialog webhook={webhook} opened={deleting} close={() => setDeleting(false)} />
    </>
  );
}

function Summary({ webhook }: { webhook: Webhook }) {
  return (
    <Group gap={6}>
      <Tag tone={webhook.status === "active" ? "good" : "plain"}>{webhook.status}</Tag>
      <Tag tone={webhook.hasSecret ? "soft" : "warn"}>{webhook.hasSecret ? "signed" : "unsigned"}</Tag>
      {webhook.events.length === EVENTS.length ? (
        <Tag tone="info">all {EVENTS.length} events</Tag>
      ) : (
        webhook.events.map((event) => (
          <Tag key={event} tone="info">
            {event}
          </Tag>
        ))
      )}
      <Text size="xs" c="dimmed">
        created <RelativeTime at={webhook.createdAt} />
      </Text>
    </Group>
  );
}

export function WebhookCard({
  webhook,
  canWrite,
  initiallyOpen,
}: {
  webhook: Webhook;
  canWrite: boolean;
  initiallyOpen: boolean;
}) {
  const [showDeliveries, setShowDeliveries] = useState(initiallyOpen);
  const [editing, setEditing] = useState(false);
  const [testDelivery, setTestDelivery] = useState<Delivery | null>(null);
  const test = useSend("post", "/api/webhooks/{id}/test", { invalidates: INVALIDATED });
  const sendTest = () => {
    setTestDelivery(null);
    test.mutate({ path: { id: webhook.id } }, { onSuccess: setTestDelivery });
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <WebhookUrl url={webhook.url} />
        <Group gap="xs" wrap="nowrap">
          {canWrite && (
            <Button
              variant="default"
              leftSection={<IconSend size={16} />}
              onClick={sendTest}
              loading={test.isPending}
              aria-label={`Send test to ${webhook.url}`}
            >
              Send test
            </Button>
          )}
          <WebhookMenu webhook={webhook} canWrite={canWrite} onEdit={() => setEditing(true)} />
        </Group>
      </div>
      <Summary webhook={webhook} />
      {webhook.status === "disabled" && (
        <Text size="sm" c="dimmed">
          This webhook receives no events. It was disabled manually or after ten failed deliveries in a row.
          To resume, choose Enable in the menu.
        </Text>
      )}
      {testDelivery && <TestResult delivery={testDelivery} onClose={() => setTestDelivery(null)} />}
      <div>
        <UnstyledButton
          className={classes.toggle}
          aria-expanded={showDeliveries}
          onClick={() => setShowDeliveries(!showDeliveries)}
        >
          {showDeliveries ? (
            <IconChevronDown size={16} aria-hidden />
          ) : (
            <IconChevronRight size={16} aria-hidden />
          )}
          Deliveries
        </UnstyledButton>
        {showDeliveries && <Deliveries webhook={webhook} canRedeliver={canWrite} />}
      </div>
      <WebhookForm opened={editing} webhook={webhook} close={() => setEditing(false)} />
    </li>
  );
}
