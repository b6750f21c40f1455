import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useQueryClient } from "@tanstack/react-query";
import { ApiError, call } from "~/api/client";
import { invalidate } from "~/api/hooks";
import { NewPasswordInput, MIN_PASSWORD_CHARS } from "~/pages/auth/NewPasswordInput";
import { FormError } from "~/pages/auth/FormError";
import { useSubmit } from "~/pages/auth/useSubmit";
import { showSuccess } from "~/parts/toast";
import { useMe } from "~/shell/login";

export function ChangePassword() {
  const me = useMe();
  const cache = useQueryClient();
  const [currentPassword, setCurrentPassword] = useState("");
  const [newPassword, setNewPassword] = useState("");
  const { submit, busy, error, retryIn } = useSubmit();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      try {
        const current = me.hasPassword ? currentPassword : null;
        await call("post", "/api/auth/password", { body: { currentPassword: current, newPassword } });
      } catch (error) {
        // The server's message also mentions the email, which can't be wrong here.
        if (error instanceof ApiError && error.status === 401)
          throw new ApiError(401, "The current password is wrong.");
        throw error;
      }
      setCurrentPassword("");
      setNewPassword("");
      await invalidate(cache, (path) => path === "/api/auth/me");
      showSuccess("Password changed. You are signed out of all other browsers.");
    });
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <FormError error={error} retryIn={retryIn} />
        <input type="text" name="username" autoComplete="username" value={me.email} readOnly hidden />
        {me.hasPassword ? (
          <PasswordInput
            label="Current password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": "Show or hide current password" }}
            value={currentPassword}
            onChange={(event) => setCurrentPassword(event.currentTarget.value)}
          />
        ) : (
          <Text size="sm">
            You signed in with a link and have no password yet. Set one to sign in as {me.email} any time.
          </Text>
        )}
        <NewPasswordInput label="New password" value={newPassword} onChange={setNewPassword} />
        <Group>
          <Button
            type="submit"
            loading={busy}
            disabled={
              retryIn > 0 ||
              (me.hasPassword && currentPassword === "") ||
              newPassword.length < MIN_PASSWORD_CHARS
            }
          >
            {me.hasPassword ? "Change password" : "Set password"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
