import { Button, Group, Loader, Select, Text } from "@mantine/core";
import { IconDownload, IconHistory, IconLock, IconRefresh } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useMemo, useState } from "react";
import { useSearchParams } from "wouter";
import { usePages } from "~/api/hooks";
import { useNotice, type Notice } from "~/api/live";
import { Empty, Loaded, Page } from "~/parts/Page";
import { count } from "~/parts/Time";
import { manages, useMe } from "~/shell/login";
import { useProjects } from "~/shell/project";
import classes from "./audit.module.css";
import { download, table } from "./csv";
import { Rows } from "./Rows";
import { choices, type Entry } from "./words";

const PAGE = 100;
/** Changes that leave an entry behind. */
const WRITTEN = new Set(["team", "keys", "projects", "webhooks", "billing", "hygiene", "contexts"]);
const CHOICES = choices();

/** The filters, kept in the address: a filtered log can be sent to a colleague. */
function useFilters() {
  const [search, setSearch] = useSearchParams();
  const set = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        if (value) after.set(name, value);
        else after.delete(name);
        return after;
      },
      { replace: true },
    );
  return { action: search.get("action"), projectId: search.get("project"), set };
}

function useLog(action: string | null, projectId: string | null) {
  const cache = useQueryClient();
  const [fresh, setFresh] = useState(false);
  const log = usePages("/api/audit", {
    query: { limit: PAGE, ...(action ? { action } : {}), ...(projectId ? { projectId } : {}) },
  });
  const { isFetchingNextPage, fetchNextPage, hasNextPage } = log;
  const pages = log.data?.pages.length ?? 0;
  // One page is simply asked for anew. Who has read further keeps their place, and is told.
  const hear = useCallback(
    (notice: Notice) => {
      if (!WRITTEN.has(notice.what ?? "")) return;
      if (pages > 1) setFresh(true);
      else void cache.invalidateQueries({ queryKey: ["/api/audit"] });
    },
    [cache, pages],
  );
  useNotice(hear);
  const renew = () => {
    setFresh(false);
    window.scrollTo({ top: 0 });
    void cache.resetQueries({ queryKey: ["/api/audit"] });
  };
  const more = useMemo(
    () => (hasNextPage ? () => void (isFetchingNextPage || fetchNextPage()) : null),
    [hasNextPage, isFetchingNextPage, fetchNextPage],
  );
  return { log, more, fresh, renew };
}

function Log() {
  const { action, projectId, set } = useFilters();
  const { log, more, fresh, renew } = useLog(action, projectId);
  const projects = useProjects();
  const names = useMemo(
    () => new Map((projects.data ?? []).map((one) => [one.id, one.name])),
    [projects.data],
  );
  const nameOf = useCallback((id: string | null) => (id ? (names.get(id) ?? id) : ""), [names]);
  const entries = useMemo<Entry[]>(() => (log.data?.pages ?? []).flatMap((page) => page.data), [log.data]);
  const save = () => download(`audit-${new Date().toISOString().slice(0, 10)}.csv`, table(entries, nameOf));
  return (
    <>
      <Group mb="md" gap="xs" align="flex-end" className={classes.filters}>
        <Select
          label="What was done"
          placeholder="Everything"
          data={CHOICES}
          value={action}
          onChange={(value) => set("action", value)}
          searchable
          clearable
        />
        <Select
          label="Project"
          placeholder="All projects"
          data={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
          value={projectId}
          onChange={(value) => set("project", value)}
          searchable
          clearable
        />
        <Group gap="xs" className={classes.actions}>
          <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={renew}>
            {fresh ? "Show what is new" : "Refresh"}
          </Button>
          <Button
            variant="default"
            leftSection={<IconDownload size={16} />}
            onClick={save}
            disabled={entries.length === 0}
          >
            Download CSV
          </Button>
        </Group>
      </Group>
      <Loaded of={log}>
        {() =>
          entries.length === 0 ? (
            <Empty icon={<IconHistory size={40} />} title="Nothing of that kind was written down">
              Sign-ins, invitations, keys, deletions, payments and changes of settings are kept here, with who
              did them and from where.
            </Empty>
          ) : (
            <>
              <Text size="sm" c="dimmed" mb="xs" role="status">
                {more
                  ? `The newest ${count(entries.length)} entries; older ones come as you scroll.`
                  : `${count(entries.length)} ${entries.length === 1 ? "entry" : "entries"}.`}{" "}
                The CSV holds what is loaded.
              </Text>
              <Rows key={`${action} ${projectId}`} entries={entries} nameOf={nameOf} more={more} />
              {log.isFetchingNextPage && (
                <Group justify="center" p="sm">
                  <Loader size="sm" aria-label="Loading older entries" />
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
  const open = manages(useMe());
  return (
    <Page title="Audit log" about="Who did what, when and from where. Nothing here can be changed.">
      {open ? (
        <Log />
      ) : (
        <Empty icon={<IconLock size={40} />} title="This page is for the owner and admins">
          The log names people and addresses, so that only those who manage the team read it.
        </Empty>
      )}
    </Page>
  );
}
