import { ActionIcon, Button, Center, Group, Loader, Tabs, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKeyboard, IconMountain } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { call } from "~/api/client";
import { queryKey, useGet } from "~/api/hooks";
import { useRelated } from "~/api/items";
import type { Item } from "~/api/types";
import { Kbd, useShortcuts } from "~/parts/shortcuts";
import { EmptyState, Page, ErrorAlert } from "~/parts/Page";
import { formatNumber } from "~/parts/format";
import { useCanWrite, useProject } from "~/shell/project";
import { RESOLUTIONS } from "../item/Related";
import { ActionBar, type ReviewActions } from "./ActionBar";
import { ReviewCard } from "./ReviewCard";
import { ShortcutHelp } from "./ShortcutHelp";
import { useDecisions } from "./decisions";
import { TABS, useQueue, type Tab } from "./queue";
import classes from "./review.module.css";

const NAMES: Record<Tab, string> = {
  drafts: "Drafts",
  lowConfidence: "Low confidence",
  conflicts: "Conflicts",
  stale: "Stale",
};
const ABOUT: Record<Tab, string> = {
  drafts: "New memories that were not approved automatically appear here.",
  lowConfidence: "Memories with low confidence appear here.",
  conflicts: "Memories that contradict each other appear here side by side.",
  stale: "Memories that may be outdated, because a file changed or a commit was reverted, appear here.",
};

/** Prefetches the evidence and conflicts of the next item. */
function usePrefetch(next: Item | undefined) {
  const cache = useQueryClient();
  const id = next?.id;
  const inConflict = next?.flags.includes("conflict");
  useEffect(() => {
    if (!id) return;
    const params = { path: { id } };
    void cache.prefetchQuery({
      queryKey: queryKey("/api/v2/items/{id}/evidence", params),
      queryFn: () => call("get", "/api/v2/items/{id}/evidence", params),
    });
    if (inConflict)
      void cache.prefetchQuery({
        queryKey: queryKey("/api/v2/items/{id}/related", params),
        queryFn: () => call("get", "/api/v2/items/{id}/related", params),
      });
  }, [cache, id, inConflict]);
}

function Progress({ position, total, title }: { position: number; total: number; title: string }) {
  return (
    <div className={classes.progress}>
      <Text size="sm" fw={600} role="status">
        {formatNumber(position)} of {formatNumber(total)}
        <span className="visually-hidden">: {title}</span>
      </Text>
      <div className={classes.track} aria-hidden>
        <div style={{ width: `${(100 * (position - 1)) / Math.max(1, total)}%` }} />
      </div>
    </div>
  );
}

function ReviewQueue({
  tab,
  counts,
  choose,
}: {
  tab: Tab;
  counts: Record<Tab, number>;
  choose: (tab: Tab) => void;
}) {
  const project = useProject();
  const canWrite = useCanWrite();
  const queue = useQueue(project.id, tab, counts[tab]);
  const { lastDecision, restoring, submit, recordEdit, remove } = useDecisions(queue);
  const [editing, setEditing] = useState("");
  const [helpOpen, help] = useDisclosure(false);
  const { current, items, index, goTo } = queue;
  // A conflicting item can only be reviewed once the other one has loaded.
  const inConflict = current?.flags.includes("conflict") ?? false;
  const related = useRelated(current?.id ?? "", inConflict);
  const others = inConflict ? (related.data?.conflicts ?? []).map(({ item }) => item) : [];
  const other = others[0];
  usePrefetch(items[index + 1]);
  const ready = canWrite && current !== undefined && (!inConflict || !(related.isPending || restoring));
  const actions: ReviewActions = {
    next: () => goTo(index + 1),
    previous: () => goTo(index - 1),
    approve: () => {
      if (!ready || !current) return;
      const deprecated = others.map((item) => ({ item, status: "deprecated" as const }));
      submit(other ? "Kept this one" : "Approved", current, [
        { item: current, status: "approved" },
        ...deprecated,
      ]);
    },
    deprecate: () => {
      if (!ready || !current) return;
      if (other) submit("Kept the other", current, RESOLUTIONS.keepOther(current, other), other.title);
      else submit("Deprecated", current, [{ item: current, status: "deprecated" }]);
    },
    keepBoth: () =>
      ready && current && other && submit("Kept both", current, RESOLUTIONS.keepBoth(current, other)),
    edit: () => canWrite && current && setEditing(current.id),
    remove: () => canWrite && current && remove(current),
    undo: () => lastDecision?.undo(),
  };
  const toTab = (number: number) => () => choose(TABS[number]!);
  useShortcuts(
    {
      j: actions.next,
      ArrowRight: actions.next,
      k: actions.previous,
      ArrowLeft: actions.previous,
      a: actions.approve,
      d: actions.deprecate,
      b: actions.keepBoth,
      e: actions.edit,
      Backspace: actions.remove,
      Delete: actions.remove,
      u: actions.undo,
      "?": help.open,
      "1": toTab(0),
      "2": toTab(1),
      "3": toTab(2),
      "4": toTab(3),
    },
    editing === "",
  );
  const onSaved = (item: Item, approved: boolean) => {
    setEditing("");
    if (!current) return;
    if (approved) recordEdit(current, "Edited and approved");
    else if (tab !== "drafts" && item.flags.length < current.flags.length) recordEdit(current, "Edited");
  };
  if (queue.error && items.length === 0)
    return <ErrorAlert error={queue.error} retry={() => void queue.refetch()} />;
  if (queue.busy)
    return (
      <Center py="xl">
        <Loader size="sm" role="status" aria-label="Loading" />
      </Center>
    );
  return (
    <>
      <Group className={classes.header} justify="space-between" gap="sm">
        {current ? (
          <Progress position={queue.position} total={queue.total} title={current.title} />
        ) : (
          <Text size="sm" c="dimmed" role="status">
            {queue.reviewed > 0 ? `${formatNumber(queue.reviewed)} reviewed` : "Nothing to review"}
          </Text>
        )}
        <Group gap="xs">
          {lastDecision && (
            <Text size="sm" c="dimmed" className={classes.lastDecision}>
              {lastDecision.label}: {lastDecision.title}
            </Text>
          )}
          {lastDecision && (
            <Button size="compact-sm" variant="subtle" onClick={actions.undo} rightSection={<Kbd>u</Kbd>}>
              Undo
            </Button>
          )}
          <Tooltip label="Keyboard shortcuts">
            <ActionIcon variant="subtle" color="gray" aria-label="Keyboard shortcuts" onClick={help.open}>
              <IconKeyboard size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {current ? (
        <>
          <ReviewCard
            key={current.id}
            item={current}
            tab={tab}
            restoring={restoring}
            editing={editing === current.id}
            onSaved={onSaved}
            cancel={() => setEditing("")}
          />
          {editing === "" && (
            <ActionBar
              actions={actions}
              tab={tab}
              inConflict={other !== undefined}
              canWrite={canWrite}
              canUndo={lastDecision !== undefined}
            />
          )}
        </>
      ) : (
        <QueueEmpty tab={tab} counts={counts} choose={choose} />
      )}
      <ShortcutHelp inConflict={inConflict} canWrite={canWrite} opened={helpOpen} close={help.close} />
    </>
  );
}

interface QueueEmptyProps {
  tab: Tab;
  counts: Record<Tab, number>;
  choose: (tab: Tab) => void;
}

function QueueEmpty({ tab, counts, choose }: QueueEmptyProps) {
  const elsewhere = TABS.filter((other) => other !== tab && counts[other] > 0);
  return (
    <EmptyState
      icon={<IconMountain size={44} stroke={1.4} />}
      title="You're all caught up"
      action={
        <Group gap="xs" mt="xs" justify="center">
          {elsewhere.map((other) => (
            <Button key={other} variant="default" size="xs" onClick={() => choose(other)}>
              {NAMES[other]} ({formatNumber(counts[other])})
            </Button>
          ))}
        </Group>
      }
    >
      {ABOUT[tab]}
    </EmptyState>
  );
}

export default function Review() {
  const project = useProject();
  const canWrite = useCanWrite();
  const [search, setSearch] = useSearchParams();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId: project.id } });
  const review = overview.data?.review;
  const counts: Record<Tab, number> = {
    drafts: review?.drafts ?? 0,
    lowConfidence: review?.lowConfidence ?? 0,
    conflicts: review?.conflicts ?? 0,
    stale: review?.stale ?? 0,
  };
  const tab = TABS.find((name) => name === search.get("tab")) ?? "drafts";
  const choose = (to: Tab) => setSearch(to === "drafts" ? {} : { tab: to }, { replace: true });
  return (
    <Page
      wide
      title="Review"
      about={
        canWrite
          ? "Review new memories. Press ? for keyboard shortcuts."
          : project.status === "active"
            ? "You have read-only access, so you can't approve or deprecate memories."
            : "This project is archived and read-only."
      }
    >
      <Tabs value={tab} onChange={(to) => to && choose(to as Tab)} keepMounted={false}>
        <Tabs.List mb="md" aria-label="Review queues" className={classes.tabs}>
          {TABS.map((name) => (
            <Tabs.Tab key={name} value={name}>
              {NAMES[name]} <span className={classes.count}>{formatNumber(counts[name])}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <ReviewQueue key={tab} tab={tab} counts={counts} choose={choose} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
