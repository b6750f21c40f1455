import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import type { FormEvent, ReactNode } from "react";
import { ApiError } from "~/api/client";
import { FormError } from "~/pages/auth/FormError";
import { useSubmit } from "~/pages/auth/useSubmit";

/** What the server says about a wrong password also mentions the email, which can't be wrong here. */
export async function withOwnPassword<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (error instanceof ApiError && error.status === 401 && error.message.includes("password"))
      throw new ApiError(401, "The password is wrong.");
    throw error;
  }
}

/** The user's own password, asked again before something sensitive. */
export function Password({ value, onChange }: { value: string; onChange: (password: string) => void }) {
  return (
    <PasswordInput
      label="Your password"
      autoComplete="current-password"
      required
      data-autofocus
      withAsterisk={false}
      visibilityToggleButtonProps={{ "aria-label": "Show or hide your password" }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A form with an error, a submit button and a cancel button. */
export function Step({
  action,
  onSubmit,
  onClose,
  children,
}: {
  action: string;
  onSubmit: () => Promise<void>;
  onClose: () => void;
  children: ReactNode;
}) {
  const { submit, busy, error, retryIn } = useSubmit();
  const send = (event: FormEvent) => {
    event.preventDefault();
    void submit(onSubmit);
  };
  return (
    <form onSubmit={send}>
      <Stack>
        <FormError error={error} retryIn={retryIn} />
        {children}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={busy} disabled={retryIn > 0}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
