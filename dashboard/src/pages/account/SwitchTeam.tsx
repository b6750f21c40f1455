import { Button, Group, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { call } from "~/api/client";
import { Refused } from "~/pages/door/Refused";
import { useTry } from "~/pages/door/useTry";
import { useMe } from "~/shell/login";

/** A login is for one team: to act in another, one signs in to that. */
export function SwitchTeam({
  team,
  onClose,
}: {
  team: { id: string; name: string } | null;
  onClose: () => void;
}) {
  const me = useMe();
  const [password, setPassword] = useState("");
  const { attempt, busy, problem, wait } = useTry();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      await call("post", "/api/auth/login", {
        body: { email: me.email, password, teamId: team?.id ?? null },
      });
      // Everything that is known here is of the other team.
      window.location.assign("/");
    });
  };
  return (
    <Modal opened={team !== null} onClose={onClose} title={`Switch to ${team?.name ?? ""}`}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">A login is for one team. Your password signs you in to this one instead.</Text>
          <Refused problem={problem} wait={wait} />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            data-autofocus
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={busy} disabled={wait > 0}>
              Switch
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
