import { Button, Group, Loader, Select, Text } from "@mantine/core";
import { IconDownload, IconHistory, IconLock, IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { useGetPages } from "~/api/hooks";
import { useLiveNotice, type Notice } from "~/api/live";
import { EmptyState, Loaded, Page } from "~/parts/Page";
import { formatNumber } from "~/parts/format";
import { canManageTeam, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import classes from "./audit.module.css";
import { download, toCsv } from "./csv";
import { EntryList } from "./EntryList";
import { actionOptions, type Entry } from "./descriptions";

const PAGE_SIZE = 100;
/** Resources whose changes are logged. */
const LOGGED_RESOURCES = new Set(["team", "keys", "projects", "webhooks", "billing", "hygiene", "contexts"]);
const ACTION_OPTIONS = actionOptions();

/** The filters, kept in the URL so that a filtered log can be shared. */
function useFilters() {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string | null) =>
    setSearch(
      (current) => {
        const next = new URLSearchParams(current);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return { action: search.get("action"), projectId: search.get("project"), set };
}

function useLog(action: string | null, projectId: string | null) {
  const cache = useQueryClient();
  const [hasNew, setHasNew] = useState(false);
  const log = useGetPages("/api/audit", {
    query: { limit: PAGE_SIZE, ...(action ? { action } : {}), ...(projectId ? { projectId } : {}) },
  });
  const { isFetchingNextPage, fetchNextPage, hasNextPage } = log;
  const pages = log.data?.pages.length ?? 0;
  // Refetching keeps the scroll position on the first page only; later, offer a button instead.
  const onNotice = useCallback(
    (notice: Notice) => {
      if (!LOGGED_RESOURCES.has(notice.resource ?? "")) return;
      if (pages > 1) setHasNew(true);
      else void cache.invalidateQueries({ queryKey: ["/api/audit"] });
    },
    [cache, pages],
  );
  useLiveNotice(onNotice);
  const reload = () => {
    setHasNew(false);
    window.scrollTo({ top: 0 });
    void cache.resetQueries({ queryKey: ["/api/audit"] });
  };
  const loadMore = useMemo(
    () => (hasNextPage ? () => void (isFetchingNextPage || fetchNextPage()) : null),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return { log, loadMore, hasNew, reload };
}

/** The whole filtered log as JSON Lines, streamed by the server. */
function exportUrl(action: string | null, projectId: string | null) {
  const query = new URLSearchParams();
  if (action) query.set("action", action);
  if (projectId) query.set("projectId", projectId);
  return `/api/audit/export?${query.toString()}`;
}

function Log() {
  const { action, projectId, set } = useFilters();
  const { log, loadMore, hasNew, reload } = useLog(action, projectId);
  const projects = useProjects();
  const projectNames = useMemo(
    () => new Map((projects.data ?? []).map((project) => [project.id, project.name])),
    [projects.data],
  );
  const projectName = useCallback(
    (id: string | null) => (id ? (projectNames.get(id) ?? id) : ""),
    [projectNames],
  );
  const entries = useMemo<Entry[]>(() => (log.data?.pages ?? []).flatMap((page) => page.data), [log.data]);
  const saveCsv = () =>
    download(`audit-${new Date().toISOString().slice(0, 10)}.csv`, toCsv(entries, projectName));
  return (
    <>
      <Group mb="md" gap="xs" align="flex-end" className={classes.filters}>
        <Select
          label="Action"
          placeholder="All actions"
          data={ACTION_OPTIONS}
          value={action}
          onChange={(value) => set("action", value)}
          searchable
          clearable
        />
        <Select
          label="Project"
          placeholder="All projects"
          data={(projects.data ?? []).map((project) => ({ value: project.id, label: project.name }))}
          value={projectId}
          onChange={(value) => set("project", value)}
          searchable
          clearable
        />
        <Group gap="xs" className={classes.actions}>
          <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={reload}>
            {hasNew ? "Show new entries" : "Refresh"}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={saveCsv}
            disabled={entries.length === 0}
          >
            Download CSV
          </Button>
          <Button
            variant="default"
            component="a"
            href={exportUrl(action, projectId)}
            download
            leftSection={<IconDownload size={16} />}
          >
            Export all
          </Button>
        </Group>
      </Group>
      <Loaded query={log}>
        {() =>
          entries.length === 0 ? (
            <EmptyState icon={<IconHistory size={40} />} title="No matching entries">
              The audit log records sign-ins, invitations, API keys, deletions, payments and settings changes.
              Clear the filters to see all entries.
            </EmptyState>
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs" role="status">
                {loadMore
                  ? `Showing the newest ${formatNumber(entries.length)} entries. Scroll down to load more.`
                  : `${formatNumber(entries.length)} ${entries.length === 1 ? "entry" : "entries"}.`}{" "}
                The CSV contains the loaded entries.
              </Text>
              <EntryList
                key={`${action} ${projectId}`}
                entries={entries}
                projectName={projectName}
                loadMore={loadMore}
              />
              {log.isFetchingNextPage && (
                <Group justify="center" p="sm">
                  <Loader size="sm" role="status" aria-label="Loading older entries" />
                </Group>
              )}
            </>
          )
        }
      </Loaded>
    </>
  );
}

export default function Audit() {
  const canView = canManageTeam(useMe());
  return (
    <Page title="Audit log" about="Who did what, when and from where. Entries can't be changed.">
      {canView ? (
        <Log />
      ) : (
        <EmptyState icon={<IconLock size={40} />} title="Only owners and admins can view the audit log">
          It contains names and IP addresses. Ask a team admin if you need an entry from it.
        </EmptyState>
      )}
    </Page>
  );
}
