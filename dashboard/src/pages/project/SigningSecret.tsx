import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEye, IconEyeOff, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { call, type ApiError } from "~/api/client";
import { SettingsSection } from "~/parts/SettingsSection";
import { CodeBlock } from "~/parts/Copy";
import { formatDateTime } from "~/parts/format";
import { showError } from "~/parts/toast";
import { useProject } from "~/shell/project";

interface Secret {
  secret: string;
  /** When the previous secret stops working; null if it already has. */
  until?: string | null;
}

function RotateDialog({
  opened,
  onClose,
  onDone,
}: {
  opened: boolean;
  onClose: () => void;
  onDone: (secret: Secret) => void;
}) {
  const { id } = useProject();
  const [busy, setBusy] = useState("");
  const rotate = async (revokeNow: boolean) => {
    setBusy(revokeNow ? "now" : "later");
    try {
      const rotated = await call("post", "/api/projects/{id}/hmac-secret/rotate", {
        path: { id },
        body: { revokeNow },
      });
      onDone({ secret: rotated.secret, until: rotated.previousValidUntil });
    } catch (error) {
      showError(error as ApiError);
    }
    setBusy("");
  };
  return (
    <Modal opened={opened} onClose={onClose} title="Rotate signing secret">
      <Stack>
        <Text size="sm">
          Tools that sign with the old secret need the new one. Machines signed in as an owner or admin fetch
          it automatically; update all others yourself.
        </Text>
        <Text size="sm">
          The old secret keeps working for one day, so no events are lost. If it may have leaked, revoke it
          now: events signed with it are then rejected immediately.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red.8" loading={busy === "now"} onClick={() => void rotate(true)}>
            Rotate and revoke
          </Button>
          <Button loading={busy === "later"} onClick={() => void rotate(false)} data-autofocus>
            Rotate
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The signing secret: fetched when shown and dropped when hidden, never cached. */
export function SigningSecret({ disabled }: { disabled: boolean }) {
  const { id } = useProject();
  const [shown, setShown] = useState<Secret | null>(null);
  const [busy, setBusy] = useState(false);
  const [rotating, setRotating] = useState(false);
  const show = async () => {
    setBusy(true);
    try {
      setShown(await call("get", "/api/projects/{id}/hmac-secret", { path: { id } }));
    } catch (error) {
      showError(error as ApiError);
    }
    setBusy(false);
  };
  return (
    <SettingsSection
      title="Signing secret"
      about="Tools use it to sign the events they send to this project. loremark init fetches it automatically."
    >
      <Stack>
        {shown && <CodeBlock label="Copy signing secret">{shown.secret}</CodeBlock>}
        {shown?.until !== undefined && (
          <Text size="sm" role="status">
            {shown.until
              ? `This is the new secret. The old one works until ${formatDateTime(shown.until)}.`
              : "This is the new secret. The old one no longer works."}
          </Text>
        )}
        <Group>
          {shown ? (
            <Button variant="default" leftSection={<IconEyeOff size={16} />} onClick={() => setShown(null)}>
              Hide secret
            </Button>
          ) : (
            <Button
              variant="default"
              leftSection={<IconEye size={16} />}
              loading={busy}
              onClick={() => void show()}
            >
              Show secret
            </Button>
          )}
          {!disabled && (
            <Button
              variant="default"
              leftSection={<IconRefresh size={16} />}
              onClick={() => setRotating(true)}
            >
              Rotate…
            </Button>
          )}
        </Group>
      </Stack>
      <RotateDialog
        opened={rotating}
        onClose={() => setRotating(false)}
        onDone={(secret) => {
          setShown(secret);
          setRotating(false);
        }}
      />
    </SettingsSection>
  );
}
