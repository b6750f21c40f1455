import { Anchor, Button, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { Link, useSearch } from "wouter";
import { call } from "~/api/client";
import { useGet } from "~/api/hooks";
import { Code } from "~/parts/Copy";
import { Loaded } from "~/parts/Page";
import { Door } from "./Door";
import { useEnter } from "./entering";
import { NewPassword } from "./NewPassword";
import { Refused } from "./Refused";
import { useTry } from "./useTry";

function Form({ search }: { search: string }) {
  const enter = useEnter();
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [teamName, setTeamName] = useState("");
  const { attempt, busy, problem, wait } = useTry();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body = { name: name.trim(), email: email.trim(), password, teamName: teamName.trim() || null };
    void attempt(async () => {
      await call("post", "/api/auth/register", { body });
      await enter(search);
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Refused problem={problem} wait={wait} />
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
          label="E-mail"
          type="email"
          name="email"
          autoComplete="username"
          required
          withAsterisk={false}
          maxLength={254}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <NewPassword value={password} onChange={setPassword} />
        <TextInput
          label="Team"
          description="Projects belong to it. You can invite others later."
          placeholder={name.trim() ? `${name.trim()}'s team` : "Your team"}
          name="team"
          autoComplete="organization"
          maxLength={100}
          value={teamName}
          onChange={(event) => setTeamName(event.currentTarget.value)}
        />
        <Button type="submit" loading={busy} disabled={wait > 0} mt="xs">
          Register
        </Button>
      </Stack>
    </form>
  );
}

/** How one gets in where nobody may register. */
function Closed({ invited }: { invited: boolean }) {
  return (
    <Stack>
      <Text>
        {invited
          ? "Accounts are made by invitation here. Ask the owner or an admin of your team: they invite you by mail, and the link in it lets you in."
          : "Nobody can register here. Accounts are made by whoever runs this server."}
      </Text>
      <Text>You run it yourself? This prints a link that signs you in:</Text>
      <Code>loremark admin signin-link</Code>
    </Stack>
  );
}

export default function Register() {
  const search = useSearch();
  const door = useGet("/api/auth/door");
  const open = door.data?.registration === "open" || door.data?.firstAccount;
  const back = (
    <>
      You have an account?{" "}
      <Anchor component={Link} href={`/sign-in${search ? `?${search}` : ""}`} inherit underline="always">
        Sign in
      </Anchor>
    </>
  );
  return (
    <Door
      title="Register"
      about={
        open &&
        (door.data?.firstAccount
          ? "You are the first here: the account you make owns this installation's first team."
          : "An account, and a team of your own.")
      }
      hint={back}
    >
      <Loaded of={door}>
        {(state) => (open ? <Form search={search} /> : <Closed invited={state.registration === "invite"} />)}
      </Loaded>
    </Door>
  );
}
