import { notifications } from "@mantine/notifications";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, call } from "~/api/client";
import { decide, dropCached, fateOf, forget, judged, settled } from "~/api/items";
import type { Item, ItemStatus } from "~/api/types";
import { amount } from "~/parts/Time";
import { doLater, showProblem, showUndo } from "~/parts/toast";

const AT_ONCE = 4;
/** From so many on, one is told how far it is. */
const MANY = 30;
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));

export interface Failure {
  item: Item;
  problem: ApiError;
}

/** Do something with each, a few at a time; where the server asks for patience it is had. */
async function inTurn(
  items: Item[],
  act: (item: Item) => Promise<void>,
  how: { stopped?: () => boolean; doing?: string } = {},
): Promise<Failure[]> {
  const waiting = [...items];
  const failures: Failure[] = [];
  let free = 0;
  let done = 0;
  const note = items.length >= MANY && how.doing ? progress(how.doing, items.length) : null;
  const work = async () => {
    for (let item = waiting.shift(); item && !how.stopped?.(); item = waiting.shift()) {
      if (free > Date.now()) await pause(free - Date.now());
      try {
        await act(item);
      } catch (problem) {
        if (!(problem instanceof ApiError)) throw problem;
        if (problem.status === 429) {
          free = Date.now() + (problem.retryAfterSeconds ?? 5) * 1000;
          waiting.unshift(item);
          note?.tell(done, "The server asks for a little patience.");
          continue;
        }
        failures.push({ item, problem });
      }
      done += 1;
      note?.tell(done);
    }
  };
  const stay = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener("beforeunload", stay);
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    window.removeEventListener("beforeunload", stay);
    note?.end();
  }
  return failures;
}

function progress(doing: string, all: number) {
  const id = notifications.show({ loading: true, autoClose: false, message: `${doing} ${all} memories` });
  return {
    tell: (done: number, more = "") =>
      notifications.update({
        id,
        loading: true,
        autoClose: false,
        message: `${doing} ${done} of ${all}. ${more}`,
      }),
    end: () => notifications.hide(id),
  };
}

function complain(failures: Failure[], all: number) {
  const first = failures[0];
  if (!first) return;
  showProblem(
    all === 1
      ? first.problem
      : new Error(`${failures.length} of ${all} stayed as they were. ${first.problem.message}`),
  );
}

const underWay = new Map<string, Promise<unknown>>();

/** What comes after this for the same items waits for it: a word must not overtake the undoing of the one before. */
export function inOrder(ids: string[], work: Promise<unknown>) {
  for (const id of ids) underWay.set(id, work);
}

/** A word on an item: what it shall be from now on. */
export interface Verdict {
  item: Item;
  status: ItemStatus;
}

export interface Judgement {
  finished: Promise<Failure[]>;
  undo: () => Promise<void>;
}

/** Pass judgements: shown at once, sent in turn. They are taken back by going back to the version before. */
export function judge(cache: QueryClient, verdicts: Verdict[], ordered = false): Judgement {
  const wanted = new Map(verdicts.map(({ item, status }) => [item.id, status]));
  const items = verdicts.map(({ item }) => item);
  const done: Item[] = [];
  const after = new Map<string, Item>();
  let stopped = false;
  decide(verdicts.map(({ item, status }) => [item.id, judged(item, status)]));
  const ids = items.map(({ id }) => id);
  const earlier = new Map(ids.map((id) => [id, underWay.get(id)]));
  const send = async (item: Item) => {
    await earlier.get(item.id)?.catch(() => undefined);
    const body = { status: wanted.get(item.id)! };
    const given = { path: { id: item.id }, body, keepalive: true };
    after.set(item.id, await call("patch", "/api/v2/items/{id}", given));
    done.push(item);
  };
  const all = async () => {
    if (!ordered) return inTurn(items, send, { stopped: () => stopped, doing: "Changing" });
    for (const item of items) {
      const failures = await inTurn([item], send);
      if (failures.length > 0) return failures;
    }
    return [];
  };
  const finished = all().then((failures) => {
    if (!stopped) {
      forget(ids);
      settled(cache, after);
    }
    complain(failures, items.length);
    return failures;
  });
  inOrder(ids, finished);
  const takeBack = async () => {
    stopped = true;
    decide(items.map((item) => [item.id, item]));
    await finished;
    const before = new Map<string, Item>();
    const failures = await inTurn(
      done,
      async (item) => {
        const body = { version: item.version };
        before.set(item.id, await call("post", "/api/v2/items/{id}/revert", { path: { id: item.id }, body }));
      },
      { doing: "Taking back" },
    );
    // Whatever has been decided since then stands.
    const still = items.filter((item) => fateOf(item.id) === item).map(({ id }) => id);
    forget(still);
    settled(cache, new Map([...before].filter(([id]) => still.includes(id))));
    complain(failures, done.length);
  };
  const undo = () => {
    const work = takeBack();
    inOrder(ids, work);
    return work;
  };
  return { finished, undo };
}

const DONE: Record<ItemStatus, string> = {
  approved: "Approved",
  deprecated: "Deprecated",
  draft: "Back to drafts:",
};
const what = (items: Item[]) =>
  items.length === 1 ? `“${items[0]!.title}”` : amount(items.length, "memory").replace("memorys", "memories");

/** Delete for ever, unless it is taken back at once. Returned: how to take it back. */
export function remove(
  cache: QueryClient,
  items: Item[],
  told: { undone?: () => void; gone?: () => void } = {},
): () => void {
  const ids = items.map(({ id }) => id);
  const act = async (leaving: boolean) => {
    const send = async ({ id }: Item) => {
      try {
        await call("delete", "/api/v2/items/{id}", { path: { id }, keepalive: leaving });
      } catch (problem) {
        if (!(problem instanceof ApiError) || problem.status !== 404) throw problem;
      }
    };
    // Nothing that waits outlives the page.
    if (leaving) return void items.map((item) => send(item).catch(() => undefined));
    const failures = await inTurn(items, send, { doing: "Deleting" });
    const failed = new Set(failures.map(({ item }) => item.id));
    dropCached(cache, new Set(ids.filter((id) => !failed.has(id))));
    forget(ids);
    complain(failures, items.length);
    if (failures.length > 0) told.undone?.();
  };
  decide(ids.map((id) => [id, null]));
  return doLater(
    `Deleted ${what(items)}`,
    (leaving) => {
      told.gone?.();
      void act(leaving);
    },
    () => {
      forget(ids);
      told.undone?.();
    },
  );
}

/** Judging with a note that offers the way back. */
export function useJudging() {
  const cache = useQueryClient();
  return useMemo(
    () => ({
      judge: (items: Item[], status: ItemStatus) => {
        const other = items.filter((item) => item.status !== status || item.flags.length > 0);
        if (other.length === 0) return;
        const { undo } = judge(
          cache,
          other.map((item) => ({ item, status })),
        );
        showUndo(`${DONE[status]} ${what(other)}`, () => void undo());
      },
      remove: (items: Item[]) => void remove(cache, items),
    }),
    [cache],
  );
}
