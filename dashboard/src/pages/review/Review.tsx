import { ActionIcon, Button, Center, Group, Loader, Tabs, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconKeyboard, IconMountain } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { call } from "~/api/client";
import { keyOf, useGet } from "~/api/hooks";
import { useRelated } from "~/api/items";
import type { Item } from "~/api/types";
import { Key, useKeys } from "~/parts/keys";
import { Empty, Page, Problem } from "~/parts/Page";
import { count } from "~/parts/Time";
import { useMayWrite, useProject } from "~/shell/project";
import { KEEP } from "../item/Related";
import { Actions, type Doing } from "./Actions";
import { Card } from "./Card";
import { Help } from "./Help";
import { useJudgements } from "./judgements";
import { TABS, useQueue, type Tab } from "./queue";
import classes from "./review.module.css";

const NAMES: Record<Tab, string> = {
  drafts: "Drafts",
  doubtful: "Low confidence",
  conflicts: "Conflicts",
  stale: "Stale",
};
const ABOUT: Record<Tab, string> = {
  drafts: "New memories wait here until a person, or a very direct source, confirms them.",
  doubtful: "Memories whose evidence is indirect wait here.",
  conflicts: "Two memories that cannot both be true stand here side by side.",
  stale: "Memories whose files have changed since they were learnt come here.",
};

/** What comes next is asked for while this one is read. */
function useAhead(next: Item | undefined) {
  const cache = useQueryClient();
  const id = next?.id;
  const contested = next?.flags.includes("conflict");
  useEffect(() => {
    if (!id) return;
    const given = { path: { id } };
    void cache.prefetchQuery({
      queryKey: keyOf("/api/v2/items/{id}/evidence", given),
      queryFn: () => call("get", "/api/v2/items/{id}/evidence", given),
    });
    if (contested)
      void cache.prefetchQuery({
        queryKey: keyOf("/api/v2/items/{id}/related", given),
        queryFn: () => call("get", "/api/v2/items/{id}/related", given),
      });
  }, [cache, id, contested]);
}

function Progress({ position, total, title }: { position: number; total: number; title: string }) {
  return (
    <div className={classes.progress}>
      <Text size="sm" fw={600} role="status">
        {count(position)} of {count(total)}
        <span className="said">: {title}</span>
      </Text>
      <div className={classes.track} aria-hidden>
        <div style={{ width: `${(100 * (position - 1)) / Math.max(1, total)}%` }} />
      </div>
    </div>
  );
}

function Sitting({
  tab,
  waiting,
  choose,
}: {
  tab: Tab;
  waiting: Record<Tab, number>;
  choose: (tab: Tab) => void;
}) {
  const project = useProject();
  const mayWrite = useMayWrite();
  const queue = useQueue(project.id, tab, waiting[tab]);
  const { last, returning, pass, edited, drop } = useJudgements(queue);
  const [editing, setEditing] = useState("");
  const [helping, help] = useDisclosure(false);
  const { current, items, place, go } = queue;
  // A draft that contradicts another is never judged without that one in sight.
  const contested = current?.flags.includes("conflict") ?? false;
  const related = useRelated(current?.id ?? "", contested);
  const others = contested ? (related.data?.conflicts ?? []).map((one) => one.item) : [];
  const against = others[0];
  useAhead(items[place + 1]);
  const ready = mayWrite && current !== undefined && (!contested || !(related.isPending || returning));
  const doing: Doing = {
    next: () => go(place + 1),
    previous: () => go(place - 1),
    approve: () => {
      if (!ready || !current) return;
      const gone = others.map((item) => ({ item, status: "deprecated" as const }));
      pass(against ? "Kept this one" : "Approved", current, [{ item: current, status: "approved" }, ...gone]);
    },
    deprecate: () => {
      if (!ready || !current) return;
      if (against) pass("Kept the other", current, KEEP.that(current, against));
      else pass("Deprecated", current, [{ item: current, status: "deprecated" }]);
    },
    both: () => ready && current && against && pass("Kept both", current, KEEP.both(current, against)),
    edit: () => mayWrite && current && setEditing(current.id),
    remove: () => mayWrite && current && drop(current),
    undo: () => last?.undo(),
  };
  const toTab = (number: number) => () => choose(TABS[number]!);
  useKeys(
    {
      j: doing.next,
      ArrowRight: doing.next,
      k: doing.previous,
      ArrowLeft: doing.previous,
      a: doing.approve,
      d: doing.deprecate,
      b: doing.both,
      e: doing.edit,
      Backspace: doing.remove,
      Delete: doing.remove,
      u: doing.undo,
      "?": help.open,
      "1": toTab(0),
      "2": toTab(1),
      "3": toTab(2),
      "4": toTab(3),
    },
    editing === "",
  );
  const saved = (item: Item, approved: boolean) => {
    setEditing("");
    if (!current) return;
    if (approved) edited(current, "Edited and approved");
    else if (tab !== "drafts" && item.flags.length < current.flags.length) edited(current, "Edited");
  };
  if (queue.error && items.length === 0)
    return <Problem error={queue.error} retry={() => void queue.refetch()} />;
  if (queue.busy)
    return (
      <Center py="xl">
        <Loader size="sm" aria-label="Loading" />
      </Center>
    );
  return (
    <>
      <Group className={classes.line} justify="space-between" gap="sm">
        {current ? (
          <Progress position={queue.position} total={queue.total} title={current.title} />
        ) : (
          <Text size="sm" c="dimmed" role="status">
            {queue.judged > 0 ? `${count(queue.judged)} judged` : "Nothing waits"}
          </Text>
        )}
        <Group gap="xs">
          {last && (
            <Text size="sm" c="dimmed" className={classes.last}>
              {last.words}: {last.of.title}
            </Text>
          )}
          {last && (
            <Button size="compact-sm" variant="subtle" onClick={doing.undo} rightSection={<Key>u</Key>}>
              Undo
            </Button>
          )}
          <Tooltip label="Keys">
            <ActionIcon variant="subtle" color="gray" aria-label="Keys of the review" onClick={help.open}>
              <IconKeyboard size={18} />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {current ? (
        <>
          <Card
            key={current.id}
            item={current}
            tab={tab}
            returning={returning}
            editing={editing === current.id}
            saved={saved}
            cancel={() => setEditing("")}
          />
          {editing === "" && (
            <Actions
              doing={doing}
              tab={tab}
              against={against !== undefined}
              mayWrite={mayWrite}
              mayUndo={last !== undefined}
            />
          )}
        </>
      ) : (
        <Done tab={tab} waiting={waiting} choose={choose} judged={queue.judged} />
      )}
      <Help contested={contested} mayWrite={mayWrite} opened={helping} close={help.close} />
    </>
  );
}

interface DoneProps {
  tab: Tab;
  waiting: Record<Tab, number>;
  choose: (tab: Tab) => void;
  judged: number;
}

function Done({ tab, waiting, choose, judged }: DoneProps) {
  const elsewhere = TABS.filter((other) => other !== tab && waiting[other] > 0);
  return (
    <Empty
      icon={<IconMountain size={44} stroke={1.4} />}
      title={judged > 0 ? "All is judged here" : "Nothing waits for you here"}
      action={
        <Group gap="xs" mt="xs" justify="center">
          {elsewhere.map((other) => (
            <Button key={other} variant="default" size="xs" onClick={() => choose(other)}>
              {NAMES[other]} ({count(waiting[other])})
            </Button>
          ))}
        </Group>
      }
    >
      {judged > 0 ? "The memory is a little truer than before. " : ""}
      {ABOUT[tab]}
    </Empty>
  );
}

export default function Review() {
  const project = useProject();
  const mayWrite = useMayWrite();
  const [asked, setAsked] = useSearchParams();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId: project.id } });
  const review = overview.data?.review;
  const waiting: Record<Tab, number> = {
    drafts: review?.drafts ?? 0,
    doubtful: review?.lowConfidence ?? 0,
    conflicts: review?.conflicts ?? 0,
    stale: review?.stale ?? 0,
  };
  const tab = TABS.find((one) => one === asked.get("tab")) ?? "drafts";
  const choose = (to: Tab) => setAsked(to === "drafts" ? {} : { tab: to }, { replace: true });
  return (
    <Page
      wide
      title="Review"
      about={
        mayWrite
          ? "What waits for a person's word. All of it can be done by keyboard."
          : project.status === "active"
            ? "What waits for a person's word. You may read this project, not judge it."
            : "The project is archived: nothing can be judged."
      }
    >
      <Tabs value={tab} onChange={(to) => to && choose(to as Tab)} keepMounted={false}>
        <Tabs.List mb="md" aria-label="What waits" className={classes.tabs}>
          {TABS.map((one) => (
            <Tabs.Tab key={one} value={one}>
              {NAMES[one]} <span className={classes.number}>{count(waiting[one])}</span>
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={tab}>
          <Sitting key={tab} tab={tab} waiting={waiting} choose={choose} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
