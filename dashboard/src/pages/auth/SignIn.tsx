import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { useGet } from "~/api/hooks";
import { AuthLayout } from "./AuthLayout";
import { useFinishSignIn } from "./useFinishSignIn";
import { FormError } from "./FormError";
import { passkeyProblem, signInWithPasskey } from "./passkeys";
import { CodeInput, logIn } from "./TwoFactorCode";
import { useSubmit } from "./useSubmit";

const LINK_PROBLEMS: Record<string, string> = {
  used: "This sign-in link was already used. Each link works once.",
  expired: "This sign-in link has expired. Links work for 24 hours.",
  replaced:
    "This sign-in link no longer works: a newer one was printed, or the first account has been created.",
  unknown: "This sign-in link is not valid. Check that you copied all of it.",
};

function SignInHint({ search }: { search: string }) {
  const registration = useGet("/api/auth/registration").data;
  if (registration?.firstAccount || registration?.mode === "open")
    return (
      <>
        {registration.firstAccount ? "This server has no accounts yet. " : "No account yet? "}
        <Anchor component={Link} href={`/register${search ? `?${search}` : ""}`} inherit underline="always">
          {registration.firstAccount ? "Create the first account" : "Sign up"}
        </Anchor>
      </>
    );
  return (
    <>
      No account? Ask a team admin for an invitation. Forgot your password? Ask the server administrator for a
      sign-in link (<code>loremark admin signin-link --email you@example.com</code>).
    </>
  );
}

export default function SignIn() {
  const search = useSearch();
  const finishSignIn = useFinishSignIn();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const [needsCode, setNeedsCode] = useState(false);
  const { submit, busy, error, retryIn } = useSubmit();
  const linkProblem = LINK_PROBLEMS[new URLSearchParams(search).get("link") ?? ""];
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void submit(async () => {
      const sent = needsCode ? code : null;
      const done = await logIn({ email: email.trim(), password, teamId: null, code: sent });
      if (done) await finishSignIn(search);
      else setNeedsCode(true);
    });
  };
  const startPasskey = () =>
    void submit(async () => {
      await signInWithPasskey(null);
      await finishSignIn(search);
    });
  return (
    <AuthLayout title="Sign in" hint={<SignInHint search={search} />}>
      <form onSubmit={onSubmit}>
        <Stack>
          {linkProblem && !error && (
            <Alert color="yellow" variant="outline" role="alert">
              {linkProblem} On the server's machine, <code>loremark open</code> opens a new one, and{" "}
              <code>loremark admin signin-link</code> prints one.
            </Alert>
          )}
          <FormError error={error} retryIn={retryIn} />
          <TextInput
            label="Email"
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            withAsterisk={false}
            value={email}
            onChange={(event) => {
              setEmail(event.currentTarget.value);
              setNeedsCode(false);
            }}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": "Show or hide password" }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          {needsCode && <CodeInput value={code} onChange={setCode} />}
          <Button type="submit" loading={busy} disabled={retryIn > 0} mt="xs">
            Sign in
          </Button>
          {passkeyProblem() === null && (
            <Button variant="default" disabled={busy || retryIn > 0} onClick={startPasskey}>
              Use a passkey
            </Button>
          )}
        </Stack>
      </form>
    </AuthLayout>
  );
}
