import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError, call } from "~/api/client";
import { refresh } from "~/api/hooks";
import { NewPassword, PASSWORD_LEAST } from "~/pages/door/NewPassword";
import { Refused } from "~/pages/door/Refused";
import { useTry } from "~/pages/door/useTry";
import { showDone } from "~/parts/toast";
import { useMe } from "~/shell/login";

export function ChangePassword() {
  const me = useMe();
  const cache = useQueryClient();
  const [currentPassword, setCurrent] = useState("");
  const [newPassword, setNew] = useState("");
  const { attempt, busy, problem, wait } = useTry();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      try {
        const present = me.hasPassword ? currentPassword : null;
        await call("post", "/api/auth/password", { body: { currentPassword: present, newPassword } });
      } catch (refused) {
        // The server speaks of e-mail and password alike; here only one of them can be wrong.
        if (refused instanceof ApiError && refused.status === 401)
          throw new ApiError(401, "The present password is wrong.");
        throw refused;
      }
      setCurrent("");
      setNew("");
      await refresh(cache, (address) => address === "/api/auth/me");
      showDone("The password is changed. All other logins of yours have ended.");
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refused problem={problem} wait={wait} />
        <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
        {me.hasPassword ? (
          <PasswordInput
            label="Present password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the present password" }}
            value={currentPassword}
            onChange={(event) => setCurrent(event.currentTarget.value)}
          />
        ) : (
          <Text size="sm">
            You came by a sign-in link and have no password yet. With one you can sign in as {me.email} at any
            time.
          </Text>
        )}
        <NewPassword label="New password" value={newPassword} onChange={setNew} />
        <Group>
          <Button
            type="submit"
            loading={busy}
            disabled={
              wait > 0 || (me.hasPassword && currentPassword === "") || newPassword.length < PASSWORD_LEAST
            }
          >
            {me.hasPassword ? "Change the password" : "Set the password"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
