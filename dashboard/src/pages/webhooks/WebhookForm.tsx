import { Alert, Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { CodeBlock } from "~/parts/Copy";
import { errorText } from "~/parts/errorText";
import { showSuccess } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { EventPicker } from "./EventPicker";
import { validateUrl, newSecret, type Webhook, type WebhookEvent } from "./events";

type SecretChoice = "keep" | "generate" | "custom" | "none";

const INVALIDATED = ["/api/webhooks"];

/** A generated secret. The server never shows it again. */
function GeneratedSecret({ secret, close }: { secret: string; close: () => void }) {
  return (
    <Stack>
      <Text>
        Deliveries are signed with this secret so your receiver can verify them. Copy it now: it won't be
        shown again.
      </Text>
      <CodeBlock label="Copy secret">{secret}</CodeBlock>
      <Text size="sm" c="dimmed">
        Signatures follow Standard Webhooks (headers webhook-id, webhook-timestamp and webhook-signature); any
        of its libraries can verify them.
      </Text>
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}

function SecretField({
  webhook,
  choice,
  onChoose,
  custom,
  onCustomChange,
}: {
  webhook: Webhook | null;
  choice: SecretChoice;
  onChoose: (choice: SecretChoice) => void;
  custom: string;
  onCustomChange: (secret: string) => void;
}) {
  return (
    <Stack gap="xs">
      <Radio.Group
        label="Signing secret"
        description="Signs deliveries so your receiver can verify that they come from Loremark."
        value={choice}
        onChange={(value) => onChoose(value as SecretChoice)}
      >
        <Stack gap="xs" mt="xs">
          {webhook && (
            <Radio value="keep" label={webhook.hasSecret ? "Keep current secret" : "Stay unsigned"} />
          )}
          <Radio value="generate" label="Generate a secret" />
          <Radio value="custom" label="Use my own secret" />
          {(!webhook || webhook.hasSecret) && <Radio value="none" label="Don't sign deliveries" />}
        </Stack>
      </Radio.Group>
      {choice === "custom" && (
        <TextInput
          label="Your secret"
          value={custom}
          onChange={(event) => onCustomChange(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
          maxLength={500}
          required
        />
      )}
    </Stack>
  );
}

function Form({ webhook, close }: { webhook: Webhook | null; close: () => void }) {
  const project = useProject();
  const [url, setUrl] = useState(webhook?.url ?? "");
  const [events, setEvents] = useState(() => (webhook?.events ?? []) as WebhookEvent[]);
  const [choice, setChoice] = useState<SecretChoice>(webhook ? "keep" : "generate");
  const [custom, setCustom] = useState("");
  const [submitted, setSubmitted] = useState(false);
  const [generated, setGenerated] = useState<string | null>(null);
  const create = useSend("post", "/api/webhooks", { quiet: true, invalidates: INVALIDATED });
  const update = useSend("patch", "/api/webhooks/{id}", { quiet: true, invalidates: INVALIDATED });
  const urlError = validateUrl(url);
  const error = create.error ?? update.error;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (urlError || events.length === 0 || (choice === "custom" && !custom)) return;
    const secret = choice === "generate" ? newSecret() : choice === "custom" ? custom : null;
    const onSuccess = () => {
      if (choice === "generate") setGenerated(secret);
      else close();
      showSuccess(webhook ? "Webhook updated." : "Webhook created.");
    };
    if (webhook)
      update.mutate(
        { path: { id: webhook.id }, body: { url, events, ...(choice === "keep" ? {} : { secret }) } },
        { onSuccess },
      );
    else create.mutate({ body: { url, events, projectId: project.id, secret } }, { onSuccess });
  };
  if (generated) return <GeneratedSecret secret={generated} close={close} />;
  return (
    <form onSubmit={onSubmit} noValidate>
      <Stack>
        <TextInput
          label="URL"
          description="Loremark sends a POST request here for each selected event."
          placeholder="https://example.com/hooks/loremark"
          type="url"
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value.trim())}
          error={submitted && urlError}
          maxLength={2000}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          required
        />
        <EventPicker value={events} onChange={setEvents} />
        {submitted && events.length === 0 && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            Select at least one event.
          </Text>
        )}
        <SecretField
          webhook={webhook}
          choice={choice}
          onChoose={setChoice}
          custom={custom}
          onCustomChange={setCustom}
        />
        {error && (
          <Alert color="red" variant="outline" title="Couldn't save the webhook" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending || update.isPending}>
            {webhook ? "Save" : "Create webhook"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A dialog that creates a webhook, or edits the given one. */
export function WebhookForm({
  opened,
  webhook,
  close,
}: {
  opened: boolean;
  webhook: Webhook | null;
  close: () => void;
}) {
  return (
    <Modal opened={opened} onClose={close} title={webhook ? "Edit webhook" : "New webhook"} size="lg">
      <Form webhook={webhook} close={close} />
    </Modal>
  );
}
