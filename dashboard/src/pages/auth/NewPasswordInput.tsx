import { PasswordInput } from "@mantine/core";

export const MIN_PASSWORD_CHARS = 8;
const MAX_PASSWORD_CHARS = 200;

/** Input for choosing a password. */
export function NewPasswordInput({
  label = "Password",
  value,
  onChange,
}: {
  label?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <PasswordInput
      label={label}
      name="new-password"
      autoComplete="new-password"
      description={`At least ${MIN_PASSWORD_CHARS} characters. A few unrelated words work well.`}
      required
      withAsterisk={false}
      minLength={MIN_PASSWORD_CHARS}
      maxLength={MAX_PASSWORD_CHARS}
      visibilityToggleButtonProps={{ "aria-label": `Show or hide ${label.toLowerCase()}` }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
