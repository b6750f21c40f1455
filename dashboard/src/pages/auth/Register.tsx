import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { call } from "~/api/client";
import { useGet } from "~/api/hooks";
import { CodeBlock } from "~/parts/Copy";
import { Loaded } from "~/parts/Page";
import { AuthLayout } from "./AuthLayout";
import { useFinishSignIn } from "./useFinishSignIn";
import { NewPasswordInput } from "./NewPasswordInput";
import { FormError } from "./FormError";
import { useSubmit } from "./useSubmit";

function Form({ search, needsToken }: { search: string; needsToken: boolean }) {
  const finishSignIn = useFinishSignIn();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [teamName, setTeamName] = useState("");
  const [setupToken, setSetupToken] = useState("");
  const { submit, busy, error, retryIn } = useSubmit();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const body = {
      name: name.trim(),
      email: email.trim(),
      password,
      teamName: teamName.trim() || null,
      setupToken: needsToken ? tokenOf(setupToken) : null,
    };
    void submit(async () => {
      await call("post", "/api/auth/register", { body });
      await finishSignIn(search);
    });
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <FormError error={error} retryIn={retryIn} />
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
        <TextInput
          label="Email"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NewPasswordInput value={password} onChange={setPassword} />
        <TextInput
          label="Team name"
          description="Projects belong to a team. You can invite others later."
          placeholder={name.trim() ? `${name.trim()}'s team` : "Your team"}
          name="team"
          autoComplete="organization"
          maxLength={100}
          value={teamName}
          onChange={(event) => setTeamName(event.currentTarget.value)}
        />
        {needsToken && (
          <TextInput
            label="Setup link or token"
            description="The server printed it when it started. To print another: loremark admin signin-link"
            name="token"
            autoComplete="off"
            required
            withAsterisk={false}
            value={setupToken}
            onChange={(event) => setSetupToken(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={busy} disabled={retryIn > 0} mt="xs">
          Create account
        </Button>
      </Stack>
    </form>
  );
}

/** The token in a pasted setup link, or the text itself. */
function tokenOf(text: string): string {
  return text.trim().replace(/^.*[?&]token=/, "");
}

/** Shown when registration is not open to everyone. */
function Closed({ inviteOnly, sendsEmail }: { inviteOnly: boolean; sendsEmail: boolean }) {
  return (
    <Stack>
      <Text>
        {inviteOnly
          ? `This server is invite-only. Ask your team's owner or an admin for an invitation${sendsEmail ? "; you'll get a link by email." : "."}`
          : "Registration is closed on this server. Ask the server administrator for an account."}
      </Text>
      <Text>If you run this server, print a sign-in link with:</Text>
      <CodeBlock>loremark admin signin-link</CodeBlock>
    </Stack>
  );
}

export default function Register() {
  const search = useSearch();
  const registration = useGet("/api/auth/registration");
  const open = registration.data?.mode === "open" || registration.data?.firstAccount;
  const hint = (
    <>
      Already have an account?{" "}
      <Anchor component={Link} href={`/sign-in${search ? `?${search}` : ""}`} inherit underline="always">
        Sign in
      </Anchor>
    </>
  );
  return (
    <AuthLayout
      title="Create account"
      about={
        open &&
        (registration.data?.firstAccount
          ? "This is the first account on this server. It will own the first team."
          : "You get an account and a team of your own.")
      }
      hint={hint}
    >
      <Loaded query={registration}>
        {({ mode, sendsEmail, needsSetupToken }) =>
          open ? (
            <Form search={search} needsToken={needsSetupToken} />
          ) : (
            <Closed inviteOnly={mode === "invite"} sendsEmail={sendsEmail} />
          )
        }
      </Loaded>
    </AuthLayout>
  );
}
