import {
  ActionIcon,
  AppShell,
  Avatar,
  Burger,
  Divider,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Select,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconLogout, IconMoon, IconSearch, IconSun, IconUser } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { call } from "~/api/client";
import { useGet } from "~/api/hooks";
import { Tag } from "~/parts/Tag";
import { showProblem } from "~/parts/toast";
import { useMe } from "./login";
import { OF_PROJECT, OF_TEAM, type Place } from "./pages";
import { Palette, openPalette } from "./Palette";
import { useProjects } from "./project";
import classes from "./shell.module.css";

const PLACE = /^\/p\/([^/]+)(?:\/([^/]+))?/;
const LAST = "loremark-last-project";

function remembered(): string | null {
  try {
    return localStorage.getItem(LAST);
  } catch {
    return null;
  }
}

function remember(projectId: string) {
  try {
    localStorage.setItem(LAST, projectId);
  } catch {
    // Storage is closed to us: the first project is shown next time.
  }
}

/** The project of this page, or the one shown last: its pages are never more than a click away. */
export function useNearProject(): string | null {
  const [location] = useLocation();
  const projects = useProjects();
  const here = PLACE.exec(location)?.[1];
  if (here) return here;
  const all = projects.data ?? [];
  return (all.find((one) => one.id === remembered()) ?? all[0])?.id ?? null;
}

function Way({
  place,
  to,
  badge,
  close,
}: {
  place: Place;
  to: string;
  badge?: ReactNode;
  close: () => void;
}) {
  const [location] = useLocation();
  const active = to === "/" ? location === "/" : location === to || location.startsWith(`${to}/`);
  return (
    <NavLink
      component={Link}
      href={to}
      onClick={close}
      label={place.name}
      leftSection={<place.icon size={18} stroke={1.6} />}
      rightSection={badge}
      active={active}
      aria-current={active ? "page" : undefined}
      className={classes.way}
    />
  );
}

function ProjectWays({ projectId, close }: { projectId: string; close: () => void }) {
  const [location, go] = useLocation();
  const projects = useProjects();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId } });
  const waiting = overview.data
    ? overview.data.review.drafts + overview.data.review.conflicts + overview.data.review.stale
    : 0;
  const choose = (chosen: string | null) => {
    if (!chosen) return;
    remember(chosen);
    const page = PLACE.exec(location)?.[2] ?? "memory";
    go(`/p/${chosen}/${page}`);
  };
  return (
    <>
      <Select
        aria-label="Project"
        data={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
        value={projectId}
        onChange={choose}
        allowDeselect={false}
        searchable={(projects.data?.length ?? 0) > 8}
        mb="xs"
      />
      {OF_PROJECT.map((place) => (
        <Way
          key={place.path}
          place={place}
          to={`/p/${projectId}/${place.path}`}
          close={close}
          badge={
            place.path === "review" && waiting > 0 ? (
              <Tag tone="info" title="Waiting for a judgement">
                {waiting > 999 ? "999+" : waiting}
              </Tag>
            ) : undefined
          }
        />
      ))}
    </>
  );
}

function Scheme() {
  const { setColorScheme } = useMantineColorScheme();
  const now = useComputedColorScheme("light");
  const other = now === "dark" ? "light" : "dark";
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      onClick={() => setColorScheme(other)}
      aria-label={`Change to the ${other} look`}
    >
      {now === "dark" ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

function Account() {
  const me = useMe();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const leave = async () => {
    try {
      await call("post", "/api/auth/logout");
      cache.clear();
      go("/sign-in");
    } catch (problem) {
      showProblem(problem as Error);
    }
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account of ${me.name}`} className={classes.account}>
          <Avatar name={me.name} color="stone" variant="filled" size={32} radius="xl" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} truncate>
            {me.name}
          </Text>
          <Text size="xs" truncate>
            {me.email}
          </Text>
          <Text size="xs">
            {me.role} of {me.teamName}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUser size={16} />} component={Link} href="/account">
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void leave()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const [opened, menu] = useDisclosure(false);
  const projectId = useNearProject();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a className={classes.skip} href="#content">
        Skip to the content
      </a>
      <AppShell.Header className={classes.header}>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={opened} onClick={menu.toggle} hiddenFrom="sm" size="sm" aria-label="Menu" />
            <Link href="/" className={classes.brand}>
              <img src="/assets/loremark.svg" alt="" width={26} height={26} />
              <span>Loremark</span>
            </Link>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <UnstyledButton className={classes.find} onClick={openPalette} aria-label="Find or go to">
              <IconSearch size={16} />
              <span className={classes.findWords}>Find or go to…</span>
              <kbd>Ctrl K</kbd>
            </UnstyledButton>
            <Scheme />
            <Account />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={classes.navbar}>
        <ScrollArea flex={1} type="never">
          <nav aria-label="Main">
            {projectId && <ProjectWays projectId={projectId} close={menu.close} />}
            {projectId && <Divider my="sm" />}
            {OF_TEAM.filter((place) => place.open?.(me) ?? true).map((place) => (
              <Way key={place.path} place={place} to={place.path} close={menu.close} />
            ))}
          </nav>
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
      <Palette projectId={projectId} />
    </AppShell>
  );
}
