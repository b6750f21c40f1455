import { Alert, Anchor, Button, Center, Loader, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconMailOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { call, type ResponseBody, type ApiError } from "~/api/client";
import { ErrorAlert } from "~/parts/Page";
import { formatDateTime } from "~/parts/format";
import { AuthLayout } from "./AuthLayout";
import { useFinishSignIn } from "./useFinishSignIn";
import { NewPasswordInput } from "./NewPasswordInput";
import { FormError } from "./FormError";
import { useSubmit } from "./useSubmit";

type Preview = ResponseBody<"/api/team/invitations/preview", "post">;

function Accept({ token, preview }: { token: string; preview: Preview }) {
  const finishSignIn = useFinishSignIn();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { submit, busy, error, retryIn } = useSubmit();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const account = preview.hasAccount
      ? { name: null, password: preview.signedIn ? null : password }
      : { name: name.trim(), password };
    void submit(async () => {
      await call("post", "/api/team/invitations/accept", { body: { token, ...account } });
      await finishSignIn("");
    });
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <FormError error={error} retryIn={retryIn} />
        <TextInput label="Email" value={preview.email} readOnly autoComplete="username" name="email" />
        {preview.hasAccount ? (
          <>
            <Text size="sm">You already have an account. Joining adds this team to it.</Text>
            {!preview.signedIn && (
              <PasswordInput
                label="Password"
                name="password"
                autoComplete="current-password"
                required
                autoFocus
                withAsterisk={false}
                visibilityToggleButtonProps={{ "aria-label": "Show or hide password" }}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
            )}
          </>
        ) : (
          <>
            <TextInput
              label="Your name"
              name="name"
              autoComplete="name"
              required
              autoFocus
              withAsterisk={false}
              maxLength={100}
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NewPasswordInput value={password} onChange={setPassword} />
          </>
        )}
        <Button type="submit" loading={busy} disabled={retryIn > 0} mt="xs">
          Join team
        </Button>
        <Text size="xs" c="dimmed">
          This invitation expires on {formatDateTime(preview.expiresAt)}.
        </Text>
      </Stack>
    </form>
  );
}

function InvalidInvitation({ message }: { message: string }) {
  return (
    <Alert color="red" variant="outline" role="alert" icon={<IconMailOff />} title={message}>
      It may have been used, revoked or expired, or the link in the email was cut off. Ask for a new
      invitation.
    </Alert>
  );
}

export default function Invitation() {
  const token = new URLSearchParams(useSearch()).get("token") ?? "";
  const preview = useQuery<Preview, ApiError>({
    queryKey: ["/api/team/invitations/preview", token],
    queryFn: () => call("post", "/api/team/invitations/preview", { body: { token } }),
    enabled: token !== "",
    staleTime: Infinity,
  });
  const invalid = token === "" ? "Invitation is invalid or expired" : preview.error?.message;
  const failed = preview.error !== null && preview.error.status !== 400;
  const signsIn = preview.data?.hasAccount && !preview.data.signedIn;
  const signInFirst = `/sign-in?next=${encodeURIComponent(`/invitation?token=${token}`)}`;
  return (
    <AuthLayout
      title={preview.data ? `Join ${preview.data.teamName}` : "Invitation"}
      about={preview.data && `You have been invited to join ${preview.data.teamName}.`}
      hint={
        <>
          {signsIn ? "Do you use two-factor authentication?" : "Already joined?"}{" "}
          <Anchor component={Link} href={signsIn ? signInFirst : "/sign-in"} inherit underline="always">
            {signsIn ? "Sign in first" : "Sign in"}
          </Anchor>
        </>
      }
    >
      {preview.data ? (
        <Accept token={token} preview={preview.data} />
      ) : failed && preview.error ? (
        <ErrorAlert error={preview.error} retry={() => void preview.refetch()} />
      ) : invalid ? (
        <InvalidInvitation message={invalid} />
      ) : (
        <Center py="xl">
          <Loader size="sm" role="status" aria-label="Loading" />
        </Center>
      )}
    </AuthLayout>
  );
}
