import { TextInput } from "@mantine/core";
import { ApiError, call, type RequestOptions } from "~/api/client";

type Login = NonNullable<RequestOptions<"/api/auth/login", "post">["body"]>;

const CODE_REQUIRED = "Two-factor code required";

export const isCodeRequired = (error: ApiError) => error.status === 401 && error.message === CODE_REQUIRED;

/** Signs in. Returns false if the password was right, but a two-factor code is needed. */
export async function logIn(body: Login): Promise<boolean> {
  try {
    await call("post", "/api/auth/login", { body });
    return true;
  } catch (error) {
    if (error instanceof ApiError && isCodeRequired(error)) return false;
    throw error;
  }
}

/** A code of an authenticator app, or a recovery code. */
export function CodeInput({ value, onChange }: { value: string; onChange: (code: string) => void }) {
  return (
    <TextInput
      label="Two-factor code"
      description="From your authenticator app, or a recovery code."
      name="code"
      autoComplete="one-time-code"
      autoCapitalize="off"
      spellCheck={false}
      maxLength={40}
      required
      autoFocus
      data-autofocus
      withAsterisk={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
