import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { Code } from "~/parts/Copy";
import { showDone } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { EventChoice } from "./EventChoice";
import { addressFault, newSecret, type Webhook, type WebhookEvent } from "./events";

type SecretChoice = "keep" | "make" | "mine" | "none";

const TOUCHES = ["/api/webhooks"];

/** The secret that was made here, to be taken away now: the server never shows it. */
function Made({ secret, close }: { secret: string; close: () => void }) {
  return (
    <Stack>
      <Text>
        Each delivery is signed with this secret, so that your receiver knows that it comes from here. Copy it
        now: it is not shown again.
      </Text>
      <Code label="Copy the secret">{secret}</Code>
      <Text size="sm" c="dimmed">
        Signatures are those of Standard Webhooks (headers webhook-id, webhook-timestamp, webhook-signature);
        any of its libraries can check them.
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

function Secret({
  known,
  choice,
  choose,
  mine,
  setMine,
}: {
  known: Webhook | null;
  choice: SecretChoice;
  choose: (choice: SecretChoice) => void;
  mine: string;
  setMine: (secret: string) => void;
}) {
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Secret"
        description="Deliveries are signed with it: your receiver can tell ours from forged ones."
        value={choice}
        onChange={(value) => choose(value as SecretChoice)}
      >
        <Stack gap="xs" mt="xs">
          {known && (
            <Radio value="keep" label={known.hasSecret ? "Keep the one it has" : "Stay without one"} />
          )}
          <Radio value="make" label="Make a new one for me" />
          <Radio value="mine" label="Use my own" />
          {(!known || known.hasSecret) && <Radio value="none" label="Do not sign" />}
        </Stack>
      </Radio.Group>
      {choice === "mine" && (
        <TextInput
          label="Your secret"
          value={mine}
          onChange={(event) => setMine(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          required
        />
      )}
    </Stack>
  );
}

function Form({ known, close }: { known: Webhook | null; close: () => void }) {
  const project = useProject();
  const [url, setUrl] = useState(known?.url ?? "");
  const [events, setEvents] = useState(() => (known?.events ?? []) as WebhookEvent[]);
  const [choice, setChoice] = useState<SecretChoice>(known ? "keep" : "make");
  const [mine, setMine] = useState("");
  const [tried, setTried] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const create = useSend("post", "/api/webhooks", { quiet: true, touches: TOUCHES });
  const update = useSend("patch", "/api/webhooks/{id}", { quiet: true, touches: TOUCHES });
  const fault = addressFault(url);
  const refused = create.error ?? update.error;
  const send = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (fault || events.length === 0 || (choice === "mine" && !mine)) return;
    const fresh = choice === "make" ? newSecret() : choice === "mine" ? mine : null;
    const onSuccess = () => {
      if (choice === "make") setMade(fresh);
      else close();
      showDone(known ? "The webhook was changed." : "The webhook was made.");
    };
    if (known)
      update.mutate(
        { path: { id: known.id }, body: { url, events, ...(choice === "keep" ? {} : { secret: fresh }) } },
        { onSuccess },
      );
    else create.mutate({ body: { url, events, projectId: project.id, secret: fresh } }, { onSuccess });
  };
  if (made) return <Made secret={made} close={close} />;
  return (
    <form onSubmit={send} noValidate>
      <Stack>
        <TextInput
          label="Address"
          description="Where we send a POST for every event: your own server, or one of a service you use."
          placeholder="https://example.com/hooks/loremark"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value.trim())}
          error={tried && fault}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          required
        />
        <EventChoice chosen={events} choose={setEvents} />
        {tried && events.length === 0 && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            Choose one event at least.
          </Text>
        )}
        <Secret known={known} choice={choice} choose={setChoice} mine={mine} setMine={setMine} />
        {refused && (
          <Alert color="red" variant="outline" title="It was not saved" role="alert">
            {refused.message}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Leave it
          </Button>
          <Button type="submit" loading={create.isPending || update.isPending}>
            {known ? "Save the webhook" : "Make the webhook"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Make a webhook, or change one. */
export function HookForm({
  opened,
  known,
  close,
}: {
  opened: boolean;
  known: Webhook | null;
  close: () => void;
}) {
  return (
    <Modal opened={opened} onClose={close} title={known ? "Change the webhook" : "New webhook"} size="lg">
      <Form known={known} close={close} />
    </Modal>
  );
}
