import { Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { call } from "~/api/client";
import { useGet } from "~/api/hooks";
import { Door } from "./Door";
import { useEnter } from "./entering";
import { Refused } from "./Refused";
import { useTry } from "./useTry";

function OtherWays({ search }: { search: string }) {
  const door = useGet("/api/auth/door");
  if (door.data?.firstAccount || door.data?.registration === "open")
    return (
      <>
        {door.data.firstAccount ? "Nobody has an account here yet. " : "No account yet? "}
        <Anchor component={Link} href={`/register${search ? `?${search}` : ""}`} inherit underline="always">
          {door.data.firstAccount ? "Make the first one" : "Register"}
        </Anchor>
      </>
    );
  return (
    <>
      No account, or no password? The link in an invitation lets you in. Whoever runs this server gets one by{" "}
      <code>loremark admin signin-link</code>.
    </>
  );
}

export default function SignIn() {
  const search = useSearch();
  const enter = useEnter();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const { attempt, busy, problem, wait } = useTry();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void attempt(async () => {
      await call("post", "/api/auth/login", { body: { email: email.trim(), password, teamId: null } });
      await enter(search);
    });
  };
  return (
    <Door title="Sign in" hint={<OtherWays search={search} />}>
      <form onSubmit={submit}>
        <Stack>
          <Refused problem={problem} wait={wait} />
          <TextInput
            label="E-mail"
            type="email"
            name="email"
            autoComplete="username"
            required
            autoFocus
            withAsterisk={false}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            name="password"
            autoComplete="current-password"
            required
            withAsterisk={false}
            visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Button type="submit" loading={busy} disabled={wait > 0} mt="xs">
            Sign in
          </Button>
        </Stack>
      </form>
    </Door>
  );
}
