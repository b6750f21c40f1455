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
import { Logins } from "./Logins";
import { SettingsSection } from "~/parts/SettingsSection";
import { Passkeys } from "./Passkeys";
import { SwitchTeam } from "./SwitchTeam";
import { TwoFactor } from "./TwoFactor";
import classes from "~/parts/settingsSection.module.css";

function Teams() {
  const me = useMe();
  const [target, setTarget] = useState<{ id: string; name: string } | null>(null);
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
                <Tag tone="good">Current</Tag>
              </>
            ) : (
              <Button
                variant="default"
                size="xs"
                aria-label={`Switch to ${team.name}`}
                onClick={() => setTarget(team)}
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
      <SwitchTeam key={target?.id} team={target} onClose={() => setTarget(null)} />
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
      onChange={(value) => setColorScheme(value as MantineColorScheme)}
      data={[
        { value: "light", label: "Light" },
        { value: "dark", label: "Dark" },
        { value: "auto", label: "System" },
      ]}
    />
  );
}

function SignOut() {
  const cache = useQueryClient();
  const [, go] = useLocation();
  const signOut = useSend("post", "/api/auth/logout");
  return (
    <Button
      variant="default"
      leftSection={<IconLogout size={16} />}
      loading={signOut.isPending}
      onClick={() =>
        signOut.mutate(
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
    <Page title="Account" about="Your profile, teams, appearance and how you sign in." actions={<SignOut />}>
      <SettingsSection title="Profile" about="The name and email your team members see.">
        <Group wrap="nowrap">
          <Avatar name={me.name} color="slate" variant="filled" size={48} radius="xl" />
          <div style={{ minWidth: 0 }}>
            <Text fw={600} truncate>
              {me.name}
            </Text>
            <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
              {me.email}
            </Text>
          </div>
        </Group>
      </SettingsSection>
      <SettingsSection title="Teams" about="The dashboard shows one team at a time.">
        <Teams />
      </SettingsSection>
      <SettingsSection title="Appearance" about="Saved in this browser.">
        <Appearance />
      </SettingsSection>
      <SettingsSection
        title="Password"
        about="Changing it signs you out of all other browsers. API keys keep working."
      >
        <ChangePassword />
      </SettingsSection>
      <SettingsSection
        title="Two-factor authentication"
        about="A code from an authenticator app, besides your password. API keys don't need it."
      >
        <TwoFactor />
      </SettingsSection>
      <SettingsSection
        title="Passkeys"
        about="Sign in with the fingerprint, face or PIN of a device, instead of password and code."
      >
        <Passkeys />
      </SettingsSection>
      <SettingsSection
        title="Signed-in browsers"
        about="If you don't recognize one, sign it out and change your password."
      >
        <Logins />
      </SettingsSection>
    </Page>
  );
}
