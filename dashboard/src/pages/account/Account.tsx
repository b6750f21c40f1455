import {
  Avatar,
  Button,
  Group,
  SegmentedControl,
  Text,
  useMantineColorScheme,
  type MantineColorScheme,
} from "@mantine/core";
import { IconLogout } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { useSend } from "~/api/hooks";
import { Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { useMe } from "~/shell/login";
import { ChangePassword } from "./ChangePassword";
import { Section } from "./Section";
import { SwitchTeam } from "./SwitchTeam";
import classes from "./section.module.css";

function Teams() {
  const me = useMe();
  const [chosen, setChosen] = useState<{ id: string; name: string } | null>(null);
  return (
    <>
      <ul className={classes.rows}>
        {me.teams.map((team) => (
          <li key={team.id} className={classes.row}>
            <Text fw={team.id === me.teamId ? 600 : 400} truncate>
              {team.name}
            </Text>
            {team.id === me.teamId ? (
              <>
                <Tag>{me.role}</Tag>
                <Tag tone="good">You are here</Tag>
              </>
            ) : (
              <Button
                variant="default"
                size="xs"
                aria-label={`Switch to ${team.name}`}
                onClick={() => setChosen(team)}
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <SwitchTeam key={chosen?.id} team={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <SegmentedControl
      aria-label="Appearance"
      fullWidth
      value={colorScheme}
      onChange={(chosen) => setColorScheme(chosen as MantineColorScheme)}
      data={[
        { value: "light", label: "Light" },
        { value: "dark", label: "Dark" },
        { value: "auto", label: "As the system" },
      ]}
    />
  );
}

function SignOut() {
  const cache = useQueryClient();
  const [, go] = useLocation();
  const leave = useSend("post", "/api/auth/logout");
  return (
    <Button
      variant="default"
      leftSection={<IconLogout size={16} />}
      loading={leave.isPending}
      onClick={() =>
        leave.mutate(
          {},
          {
            onSuccess: () => {
              cache.clear();
              go("/sign-in");
            },
          },
        )
      }
    >
      Sign out
    </Button>
  );
}

export default function Account() {
  const me = useMe();
  return (
    <Page title="Account" about="You, on this server." actions={<SignOut />}>
      <Section title="You" about="The name and address that others in your teams see.">
        <Group wrap="nowrap">
          <Avatar name={me.name} color="stone" variant="filled" size={48} radius="xl" />
          <div style={{ minWidth: 0 }}>
            <Text fw={600} truncate>
              {me.name}
            </Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {me.email}
            </Text>
          </div>
        </Group>
      </Section>
      <Section title="Teams" about="All you see here is of the team you are in.">
        <Teams />
      </Section>
      <Section title="Appearance" about="Kept in this browser.">
        <Appearance />
      </Section>
      <Section title="Password" about="Changing it ends your logins everywhere else. Keys go on working.">
        <ChangePassword />
      </Section>
    </Page>
  );
}
