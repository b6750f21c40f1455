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
import { Time } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import { Deliveries, outcome } from "./Deliveries";
import { EVENTS, type Delivery, type Webhook } from "./events";
import { HookForm } from "./HookForm";
import classes from "./webhooks.module.css";

const TOUCHES = ["/api/webhooks"];

/** The address with its host to be read first. */
function Address({ url }: { url: string }) {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  return (
    <Title order={2} className={classes.address}>
      {parsed ? (
        <>
          {parsed.host}
          <span className={classes.rest}>
            {parsed.pathname === "/" && !parsed.search ? "" : parsed.pathname + parsed.search}
          </span>
        </>
      ) : (
        url
      )}
    </Title>
  );
}

/** What came of a test, to be read at once. */
function Result({ of, close }: { of: Delivery; close: () => void }) {
  const good = of.status === "delivered";
  return (
    <Alert
      color={good ? "green" : "red"}
      variant="outline"
      title={good ? "The test was delivered" : "The test did not arrive"}
      withCloseButton
      closeButtonLabel="Close the result"
      onClose={close}
      role="status"
    >
      <Text size="sm">
        {outcome(of)}{" "}
        {!good &&
          (of.responseStatus
            ? "Your receiver was reached; it should answer with a status from 200 to 299."
            : "Your receiver was not reached. Is the address right, is it open to the internet, is its certificate valid?")}
      </Text>
    </Alert>
  );
}

function Delete({ webhook, opened, close }: { webhook: Webhook; opened: boolean; close: () => void }) {
  const remove = useSend("delete", "/api/webhooks/{id}", { touches: TOUCHES });
  const send = () =>
    remove.mutate({ path: { id: webhook.id } }, { onSuccess: () => showDone("The webhook was deleted.") });
  return (
    <Modal opened={opened} onClose={close} title="Delete this webhook?" centered>
      <Stack>
        <Text className={classes.words}>
          {webhook.url} is told nothing any more. Its log of deliveries is deleted with it. This cannot be
          undone; to pause it, disable it instead.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Keep it
          </Button>
          <Button color="red" onClick={send} loading={remove.isPending}>
            Delete the webhook
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function More({ webhook, mayWrite, edit }: { webhook: Webhook; mayWrite: boolean; edit: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const change = useSend("patch", "/api/webhooks/{id}", { touches: TOUCHES });
  const active = webhook.status === "active";
  const turn = () =>
    change.mutate(
      { path: { id: webhook.id }, body: { status: active ? "disabled" : "active" } },
      {
        onSuccess: (now) => showDone(now.status === "active" ? "The webhook is on." : "The webhook is off."),
      },
    );
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={`More for ${webhook.url}`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {mayWrite && (
            <>
              <Menu.Item leftSection={<IconEdit size={16} />} onClick={edit}>
                Edit
              </Menu.Item>
              <Menu.Item
                leftSection={active ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
                onClick={turn}
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
      <Delete webhook={webhook} opened={deleting} close={() => setDeleting(false)} />
    </>
  );
}

function Facts({ webhook }: { webhook: Webhook }) {
  return (
    <Group gap={6}>
      <Tag tone={webhook.status === "active" ? "good" : "plain"}>{webhook.status}</Tag>
      <Tag tone={webhook.hasSecret ? "soft" : "warn"}>{webhook.hasSecret ? "signed" : "not signed"}</Tag>
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
        made <Time at={webhook.createdAt} />
      </Text>
    </Group>
  );
}

export function HookCard({
  webhook,
  mayWrite,
  open,
}: {
  webhook: Webhook;
  mayWrite: boolean;
  open: boolean;
}) {
  const [shown, setShown] = useState(open);
  const [editing, setEditing] = useState(false);
  const [result, setResult] = useState<Delivery | null>(null);
  const test = useSend("post", "/api/webhooks/{id}/test", { touches: TOUCHES });
  const send = () => {
    setResult(null);
    test.mutate({ path: { id: webhook.id } }, { onSuccess: setResult });
  };
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <Address url={webhook.url} />
        <Group gap="xs" wrap="nowrap">
          {mayWrite && (
            <Button
              variant="default"
              leftSection={<IconSend size={16} />}
              onClick={send}
              loading={test.isPending}
              aria-label={`Send a test to ${webhook.url}`}
            >
              Send a test
            </Button>
          )}
          <More webhook={webhook} mayWrite={mayWrite} edit={() => setEditing(true)} />
        </Group>
      </div>
      <Facts webhook={webhook} />
      {webhook.status === "disabled" && (
        <Text size="sm" c="dimmed">
          It is told nothing. Somebody has switched it off, or ten deliveries in a row have failed for good.
        </Text>
      )}
      {result && <Result of={result} close={() => setResult(null)} />}
      <div>
        <UnstyledButton className={classes.fold} aria-expanded={shown} onClick={() => setShown(!shown)}>
          {shown ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          Deliveries
        </UnstyledButton>
        {shown && <Deliveries webhook={webhook} maySend={mayWrite} />}
      </div>
      <HookForm opened={editing} known={webhook} close={() => setEditing(false)} />
    </li>
  );
}
