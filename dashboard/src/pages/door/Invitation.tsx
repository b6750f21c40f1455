import { Alert, Anchor, Button, Center, Loader, Stack, Text, TextInput } from "@mantine/core";
import { IconMailOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { call, type Answer, type ApiError } from "~/api/client";
import { Problem } from "~/parts/Page";
import { dateTime } from "~/parts/Time";
import { Door } from "./Door";
import { useEnter } from "./entering";
import { NewPassword } from "./NewPassword";
import { Refused } from "./Refused";
import { useTry } from "./useTry";

type Seen = Answer<"/api/team/invitations/look", "post">;

function Accept({ token, seen }: { token: string; seen: Seen }) {
  const enter = useEnter();
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const { attempt, busy, problem, wait } = useTry();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const own = seen.hasAccount ? { name: null, password: null } : { name: name.trim(), password };
    void attempt(async () => {
      await call("post", "/api/team/invitations/accept", { body: { token, ...own } });
      await enter("");
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refused problem={problem} wait={wait} />
        <TextInput label="E-mail" value={seen.email} readOnly autoComplete="username" name="email" />
        {seen.hasAccount ? (
          <Text size="sm">You have an account with this address. The team is added to it.</Text>
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
            <NewPassword value={password} onChange={setPassword} />
          </>
        )}
        <Button type="submit" loading={busy} disabled={wait > 0} mt="xs">
          Join the team
        </Button>
        <Text size="xs" c="dimmed">
          The invitation is good until {dateTime(seen.expiresAt)}.
        </Text>
      </Stack>
    </form>
  );
}

/** An invitation that is used up, taken back or too old; or a link that was cut in the mail. */
function NoLonger({ words }: { words: string }) {
  return (
    <Alert color="red" variant="outline" role="alert" icon={<IconMailOff />} title={words}>
      It may be used up, taken back or too old, or the link was cut off in the mail. Ask whoever invited you
      to do it again.
    </Alert>
  );
}

export default function Invitation() {
  const token = new URLSearchParams(useSearch()).get("token") ?? "";
  const look = useQuery<Seen, ApiError>({
    queryKey: ["/api/team/invitations/look", token],
    queryFn: () => call("post", "/api/team/invitations/look", { body: { token } }),
    enabled: token !== "",
    staleTime: Infinity,
  });
  const refused = token === "" ? "Invitation is invalid or expired" : look.error?.message;
  const unknown = look.error !== null && look.error.status !== 400;
  return (
    <Door
      title={look.data ? `Join ${look.data.teamName}` : "Invitation"}
      about={look.data && `You are invited to the team ${look.data.teamName}.`}
      hint={
        <>
          Joined already?{" "}
          <Anchor component={Link} href="/sign-in" inherit underline="always">
            Sign in
          </Anchor>
        </>
      }
    >
      {look.data ? (
        <Accept token={token} seen={look.data} />
      ) : unknown && look.error ? (
        <Problem error={look.error} retry={() => void look.refetch()} />
      ) : refused ? (
        <NoLonger words={refused} />
      ) : (
        <Center py="xl">
          <Loader size="sm" aria-label="Loading" />
        </Center>
      )}
    </Door>
  );
}
