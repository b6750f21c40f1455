import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { IconEye, IconEyeOff, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import { call, type ApiError } from "~/api/client";
import { Section } from "~/pages/account/Section";
import { Code } from "~/parts/Copy";
import { dateTime } from "~/parts/Time";
import { showProblem } from "~/parts/toast";
import { useProject } from "~/shell/project";

interface Secret {
  secret: string;
  /** Until when the one before it works too; null where it does not. */
  until?: string | null;
}

function Rotating({
  opened,
  onClose,
  onDone,
}: {
  opened: boolean;
  onClose: () => void;
  onDone: (now: Secret) => void;
}) {
  const { id } = useProject();
  const [busy, setBusy] = useState("");
  const rotate = async (revokeNow: boolean) => {
    setBusy(revokeNow ? "now" : "later");
    try {
      const made = await call("post", "/api/projects/{id}/hmac-secret/rotate", {
        path: { id },
        body: { revokeNow },
      });
      onDone({ secret: made.secret, until: made.previousValidUntil });
    } catch (problem) {
      showProblem(problem as ApiError);
    }
    setBusy("");
  };
  return (
    <Modal opened={opened} onClose={onClose} title="A new signing secret">
      <Stack>
        <Text size="sm">
          Tools that sign with the old one must be given the new one: <code>loremark init</code>, run again in
          the linked folder, does that.
        </Text>
        <Text size="sm">
          The old one works for a day more, so that nothing is lost meanwhile. If it may have leaked, revoke
          it now: whatever still signs with it is refused at once.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red.8" loading={busy === "now"} onClick={() => void rotate(true)}>
            Rotate and revoke now
          </Button>
          <Button loading={busy === "later"} onClick={() => void rotate(false)} data-autofocus>
            Rotate
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** For those who manage the project. Never kept: asked for when it is to be shown, forgotten when it is hidden. */
export function SigningSecret({ disabled }: { disabled: boolean }) {
  const { id } = useProject();
  const [shown, setShown] = useState<Secret | null>(null);
  const [busy, setBusy] = useState(false);
  const [rotating, setRotating] = useState(false);
  const show = async () => {
    setBusy(true);
    try {
      setShown(await call("get", "/api/projects/{id}/hmac-secret", { path: { id } }));
    } catch (problem) {
      showProblem(problem as ApiError);
    }
    setBusy(false);
  };
  return (
    <Section
      title="Signing secret"
      about="Tools sign what they send for this project with it. loremark init fetches it by itself."
    >
      <Stack>
        {shown && <Code label="Copy the signing secret">{shown.secret}</Code>}
        {shown?.until !== undefined && (
          <Text size="sm" role="status">
            {shown.until
              ? `This is the new one. The old one works until ${dateTime(shown.until)}.`
              : "This is the new one. The old one no longer works."}
          </Text>
        )}
        <Group>
          {shown ? (
            <Button variant="default" leftSection={<IconEyeOff size={16} />} onClick={() => setShown(null)}>
              Hide it
            </Button>
          ) : (
            <Button
              variant="default"
              leftSection={<IconEye size={16} />}
              loading={busy}
              onClick={() => void show()}
            >
              Show the secret
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
      <Rotating
        opened={rotating}
        onClose={() => setRotating(false)}
        onDone={(now) => {
          setShown(now);
          setRotating(false);
        }}
      />
    </Section>
  );
}
