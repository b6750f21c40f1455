import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { FormError } from "~/pages/auth/FormError";
import { CodeInput, logIn } from "~/pages/auth/TwoFactorCode";
import { useSubmit } from "~/pages/auth/useSubmit";
import { useMe } from "~/shell/login";

/** Signs in to another team: a login is valid for one team only. */
export function SwitchTeam({
  team,
  onClose,
}: {
  team: { id: string; name: string } | null;
  onClose: () => void;
}) {
  const me = useMe();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const { submit, busy, error, retryIn } = useSubmit();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const sent = needsCode ? code : null;
      // A full reload, because all cached data belongs to the previous team.
      if (await logIn({ email: me.email, password, teamId: team?.id ?? null, code: sent }))
        window.location.assign("/");
      else setNeedsCode(true);
    });
  };
  if (!me.hasPassword)
    return (
      <Modal opened={team !== null} onClose={onClose} title={`Switch to ${team?.name ?? ""}`}>
        <Text size="sm">You have no password yet. Set one under Password first.</Text>
      </Modal>
    );
  return (
    <Modal opened={team !== null} onClose={onClose} title={`Switch to ${team?.name ?? ""}`}>
      <form onSubmit={onSubmit}>
        <Stack>
          <Text size="sm">You are signed in to one team at a time. Enter your password to switch.</Text>
          <FormError error={error} retryIn={retryIn} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            visibilityToggleButtonProps={{ "aria-label": "Show or hide password" }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {needsCode && <CodeInput value={code} onChange={setCode} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={retryIn > 0}>
              Switch
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
