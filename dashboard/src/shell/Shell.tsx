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
import { showError } from "~/parts/toast";
import { useMe } from "./login";
import { PROJECT_PAGES, TEAM_PAGES, type NavPage } from "./pages";
import { CommandPalette, openCommandPalette } from "./CommandPalette";
import { useProjects } from "./project";
import classes from "./shell.module.css";

const PROJECT_PATH = /^\/p\/([^/]+)(?:\/([^/]+))?/;
const LAST_PROJECT = "loremark-last-project";

function readLastProject(): string | null {
  try {
    return localStorage.getItem(LAST_PROJECT);
  } catch {
    return null;
  }
}

function saveLastProject(projectId: string) {
  try {
    localStorage.setItem(LAST_PROJECT, projectId);
  } catch {
    // Storage is blocked: next time the first project opens instead.
  }
}

/** The project in the URL, else the last one opened, else the first. */
export function useCurrentProjectId(): string | null {
  const [location] = useLocation();
  const projects = useProjects();
  const inPath = PROJECT_PATH.exec(location)?.[1];
  if (inPath) return inPath;
  const all = projects.data ?? [];
  return (all.find((project) => project.id === readLastProject()) ?? all[0])?.id ?? null;
}

function NavItem({
  page,
  to,
  badge,
  close,
}: {
  page: NavPage;
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
      label={page.name}
      leftSection={<page.icon size={18} stroke={1.6} />}
      rightSection={badge}
      active={active}
      aria-current={active ? "page" : undefined}
      className={classes.navItem}
    />
  );
}

function ProjectNav({ projectId, close }: { projectId: string; close: () => void }) {
  const [location, go] = useLocation();
  const projects = useProjects();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId } });
  const toReview = overview.data
    ? overview.data.review.drafts + overview.data.review.conflicts + overview.data.review.stale
    : 0;
  const switchProject = (id: string | null) => {
    if (!id) return;
    saveLastProject(id);
    const page = PROJECT_PATH.exec(location)?.[2] ?? "memory";
    go(`/p/${id}/${page}`);
  };
  return (
    <>
      <Select
        aria-label="Project"
        data={(projects.data ?? []).map((project) => ({ value: project.id, label: project.name }))}
        value={projectId}
        onChange={switchProject}
        allowDeselect={false}
        searchable={(projects.data?.length ?? 0) > 8}
        mb="xs"
      />
      {PROJECT_PAGES.map((page) => (
        <NavItem
          key={page.path}
          page={page}
          to={`/p/${projectId}/${page.path}`}
          close={close}
          badge={
            page.path === "review" && toReview > 0 ? (
              <Tag tone="info" title="Waiting for review">
                {toReview > 999 ? "999+" : toReview}
              </Tag>
            ) : undefined
          }
        />
      ))}
    </>
  );
}

function ColorSchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const current = useComputedColorScheme("light");
  const other = current === "dark" ? "light" : "dark";
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      onClick={() => setColorScheme(other)}
      aria-label={`Switch to ${other} mode`}
    >
      {current === "dark" ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}

function AccountMenu() {
  const me = useMe();
  const cache = useQueryClient();
  const [, go] = useLocation();
  const signOut = async () => {
    try {
      await call("post", "/api/auth/logout");
      cache.clear();
      go("/sign-in");
    } catch (error) {
      showError(error as Error);
    }
  };
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton aria-label={`Account menu for ${me.name}`} className={classes.account}>
          <Avatar name={me.name} color="slate" variant="filled" size={32} radius="xl" />
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
            {me.teamName} · {me.role}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item leftSection={<IconUser size={16} />} component={Link} href="/account">
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

export function Shell({ children }: { children: ReactNode }) {
  const me = useMe();
  const [opened, menu] = useDisclosure(false);
  const projectId = useCurrentProjectId();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 240, breakpoint: "sm", collapsed: { mobile: !opened } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a className={classes.skip} href="#content">
        Skip to content
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
            <UnstyledButton
              className={classes.search}
              onClick={openCommandPalette}
              aria-label="Search or jump to"
            >
              <IconSearch size={16} />
              <span className={classes.searchLabel}>Search or jump to…</span>
              <kbd>Ctrl K</kbd>
            </UnstyledButton>
            <ColorSchemeToggle />
            <AccountMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" className={classes.navbar}>
        <ScrollArea flex={1} type="never">
          <nav aria-label="Main">
            {projectId && <ProjectNav projectId={projectId} close={menu.close} />}
            {projectId && <Divider my="sm" />}
            {TEAM_PAGES.filter((page) => page.visibleTo?.(me) ?? true).map((page) => (
              <NavItem key={page.path} page={page} to={page.path} close={menu.close} />
            ))}
          </nav>
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        {children}
      </AppShell.Main>
      <CommandPalette projectId={projectId} />
    </AppShell>
  );
}
