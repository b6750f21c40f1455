import { notifications } from "@mantine/notifications";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { ApiError, call } from "~/api/client";
import { invalidate } from "~/api/hooks";
import { setPending, removeCached, findPending, clearPending, withStatus, confirmPending } from "~/api/items";
import type { Item, ItemStatus } from "~/api/types";
import { errorText } from "~/parts/errorText";
import { pluralize } from "~/parts/format";
import { doWithUndo, showError, showUndo } from "~/parts/toast";

const CONCURRENCY = 4;
/** Batches of this size show a progress notification. */
const PROGRESS_FROM = 30;
const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms));

export interface Failure {
  item: Item;
  error: ApiError;
}

/** Runs an action on each item, a few at a time, and waits when the server returns 429. */
async function runBatch(
  items: Item[],
  act: (item: Item) => Promise<void>,
  options: { stopped?: () => boolean; doing?: string } = {},
): Promise<Failure[]> {
  const queue = [...items];
  const failures: Failure[] = [];
  let resumeAt = 0;
  let done = 0;
  const notification =
    items.length >= PROGRESS_FROM && options.doing ? showProgress(options.doing, items.length) : null;
  const work = async () => {
    for (let item = queue.shift(); item && !options.stopped?.(); item = queue.shift()) {
      if (resumeAt > Date.now()) await sleep(resumeAt - Date.now());
      try {
        await act(item);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.status === 429) {
          resumeAt = Date.now() + (error.retryAfterSeconds ?? 5) * 1000;
          queue.unshift(item);
          notification?.update(done, "Rate limit reached, waiting…");
          continue;
        }
        failures.push({ item, error });
      }
      done += 1;
      notification?.update(done);
    }
  };
  const warnOnLeave = (event: BeforeUnloadEvent) => event.preventDefault();
  window.addEventListener("beforeunload", warnOnLeave);
  try {
    await Promise.all(Array.from({ length: CONCURRENCY }, work));
  } finally {
    window.removeEventListener("beforeunload", warnOnLeave);
    notification?.end();
  }
  return failures;
}

function showProgress(doing: string, all: number) {
  const id = notifications.show({ loading: true, autoClose: false, message: `${doing} ${all} memories` });
  return {
    update: (done: number, more = "") =>
      notifications.update({
        id,
        loading: true,
        autoClose: false,
        message: `${doing} ${done} of ${all}. ${more}`,
      }),
    end: () => notifications.hide(id),
  };
}

function reportFailures(failures: Failure[], all: number, done: "changed" | "deleted" | "undone") {
  const first = failures[0];
  if (!first) return;
  showError(
    all === 1
      ? first.error
      : new Error(`${failures.length} of ${all} could not be ${done}. ${errorText(first.error)}`),
  );
}

const pendingById = new Map<string, Promise<unknown>>();

/** Makes later changes to these items wait for this one, so that a change cannot overtake an undo. */
export function trackPending(ids: string[], work: Promise<unknown>) {
  for (const id of ids) pendingById.set(id, work);
}

export interface StatusChange {
  item: Item;
  status: ItemStatus;
}

export interface PendingChanges {
  finished: Promise<Failure[]>;
  undo: () => Promise<void>;
}

/** Applies status changes optimistically and sends them in the background. Undo reverts to the previous versions. */
export function applyStatusChanges(
  cache: QueryClient,
  changes: StatusChange[],
  ordered = false,
): PendingChanges {
  const statusById = new Map(changes.map(({ item, status }) => [item.id, status]));
  const items = changes.map(({ item }) => item);
  const done: Item[] = [];
  const updated = new Map<string, Item>();
  let stopped = false;
  setPending(changes.map(({ item, status }) => [item.id, withStatus(item, status)]));
  const ids = items.map(({ id }) => id);
  const previous = new Map(ids.map((id) => [id, pendingById.get(id)]));
  const send = async (item: Item) => {
    await previous.get(item.id)?.catch(() => undefined);
    const status = statusById.get(item.id)!;
    // Only the text that was on the screen is approved: events may have changed it since.
    const body = status === "approved" ? { status, version: item.version } : { status };
    const params = { path: { id: item.id }, body, keepalive: true };
    updated.set(item.id, await call("patch", "/api/v2/items/{id}", params));
    done.push(item);
  };
  const sendAll = async () => {
    if (!ordered) return runBatch(items, send, { stopped: () => stopped, doing: "Changing" });
    for (const item of items) {
      const failures = await runBatch([item], send);
      if (failures.length > 0) return failures;
    }
    return [];
  };
  const finished = sendAll().then((failures) => {
    if (!stopped) {
      clearPending(ids);
      confirmPending(cache, updated);
    }
    if (failures.some(({ error }) => error.status === 412))
      void invalidate(cache, (address) => address.startsWith("/api/v2/items"));
    reportFailures(failures, items.length, "changed");
    return failures;
  });
  trackPending(ids, finished);
  const revert = async () => {
    stopped = true;
    setPending(items.map((item) => [item.id, item]));
    await finished;
    const reverted = new Map<string, Item>();
    const failures = await runBatch(
      done,
      async (item) => {
        const body = { version: item.version };
        reverted.set(
          item.id,
          await call("post", "/api/v2/items/{id}/revert", { path: { id: item.id }, body }),
        );
      },
      { doing: "Undoing" },
    );
    // Keep changes that were made after the undo started.
    const unchanged = items.filter((item) => findPending(item.id) === item).map(({ id }) => id);
    clearPending(unchanged);
    confirmPending(cache, new Map([...reverted].filter(([id]) => unchanged.includes(id))));
    reportFailures(failures, done.length, "undone");
  };
  const undo = () => {
    const work = revert();
    trackPending(ids, work);
    return work;
  };
  return { finished, undo };
}

const STATUS_DONE: Record<ItemStatus, string> = {
  approved: "Approved",
  deprecated: "Deprecated",
  draft: "Moved to drafts:",
};
const describeItems = (items: Item[]) =>
  items.length === 1
    ? `“${items[0]!.title}”`
    : pluralize(items.length, "memory").replace("memorys", "memories");

/** Deletes items permanently after the undo period. Returns a function that cancels the deletion. */
export function removeItems(
  cache: QueryClient,
  items: Item[],
  callbacks: { onUndo?: () => void; onDeleted?: () => void } = {},
): () => void {
  const ids = items.map(({ id }) => id);
  const act = async (leaving: boolean) => {
    const send = async ({ id }: Item) => {
      try {
        await call("delete", "/api/v2/items/{id}", { path: { id }, keepalive: leaving });
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 404) throw error;
      }
    };
    // Timers and queued requests don't survive the page, so send everything now.
    if (leaving) return void items.map((item) => send(item).catch(() => undefined));
    const failures = await runBatch(items, send, { doing: "Deleting" });
    const failed = new Set(failures.map(({ item }) => item.id));
    removeCached(cache, new Set(ids.filter((id) => !failed.has(id))));
    clearPending(ids);
    reportFailures(failures, items.length, "deleted");
    if (failures.length > 0) callbacks.onUndo?.();
  };
  setPending(ids.map((id) => [id, null]));
  return doWithUndo(
    `Deleted ${describeItems(items)}.`,
    (leaving) => {
      callbacks.onDeleted?.();
      void act(leaving);
    },
    () => {
      clearPending(ids);
      callbacks.onUndo?.();
    },
  );
}

/** Status changes and deletion, each with an undo notification. */
export function useItemActions() {
  const cache = useQueryClient();
  return useMemo(
    () => ({
      setStatus: (items: Item[], status: ItemStatus) => {
        const changing = items.filter((item) => item.status !== status || item.flags.length > 0);
        if (changing.length === 0) return;
        const { undo } = applyStatusChanges(
          cache,
          changing.map((item) => ({ item, status })),
        );
        showUndo(`${STATUS_DONE[status]} ${describeItems(changing)}.`, () => void undo());
      },
      remove: (items: Item[]) => void removeItems(cache, items),
    }),
    [cache],
  );
}
