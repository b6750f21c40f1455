import { PasswordInput } from "@mantine/core";

export const PASSWORD_LEAST = 8;
const PASSWORD_MOST = 200;

/** A password that is being chosen. */
export function NewPassword({
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
      description={`At least ${PASSWORD_LEAST} characters. A few unrelated words make a good one.`}
      required
      withAsterisk={false}
      minLength={PASSWORD_LEAST}
      maxLength={PASSWORD_MOST}
      visibilityToggleButtonProps={{ "aria-label": `Show or hide the ${label.toLowerCase()}` }}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
