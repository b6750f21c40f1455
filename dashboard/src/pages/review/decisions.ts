import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { call } from "~/api/client";
import { invalidate } from "~/api/hooks";
import { setPending, clearPending, confirmPending } from "~/api/items";
import type { Item } from "~/api/types";
import { showError } from "~/parts/toast";
import { trackPending, applyStatusChanges, removeItems, type StatusChange } from "../item/statusChanges";

interface Queue {
  dismiss: (ids: string[]) => void;
  restore: (items: Item[], to: string) => void;
}

interface Decision {
  label: string;
  /** The title shown with the label. */
  title: string;
  /** The reviewed item; `items` also has the conflicting items that changed with it. */
  item: Item;
  items: Item[];
  undo: () => void;
}

/** Review decisions: the queue advances immediately, and decisions can be undone, last one first. */
export function useDecisions(queue: Queue) {
  const cache = useQueryClient();
  const [history, setHistory] = useState<Decision[]>([]);
  /** Number of undos in flight; until they finish, related items may be out of date. */
  const [restoring, setRestoring] = useState(0);
  const latest = useRef(queue);
  latest.current = queue;
  const restore = useCallback((decision: Decision) => {
    setHistory((before) => before.filter((other) => other !== decision));
    latest.current.restore(decision.items, decision.item.id);
  }, []);
  const submit = useCallback(
    (label: string, item: Item, changes: StatusChange[], title = item.title) => {
      const pending = applyStatusChanges(cache, changes, true);
      const items = changes.map(({ item }) => item);
      const decision: Decision = {
        label,
        title,
        item,
        items,
        undo: () => {
          restore(decision);
          setRestoring((count) => count + 1);
          void pending
            .undo()
            .then(() => invalidate(cache, (address) => address === "/api/v2/items/{id}/related"))
            .finally(() => setRestoring((count) => count - 1));
        },
      };
      latest.current.dismiss(items.map(({ id }) => id));
      setHistory((before) => [...before, decision]);
      void pending.finished.then((failures) => failures.length > 0 && restore(decision));
    },
    [cache, restore],
  );
  /** Records an edit that also removed the item from the queue; undo reverts to the previous version. */
  const recordEdit = useCallback(
    (before: Item, label: string) => {
      const decision: Decision = {
        label,
        title: before.title,
        item: before,
        items: [before],
        undo: () => {
          restore(decision);
          setPending([[before.id, before]]);
          const work = call("post", "/api/v2/items/{id}/revert", {
            path: { id: before.id },
            body: { version: before.version },
          })
            .then((now) => confirmPending(cache, new Map([[now.id, now]])))
            .catch((error: Error) => {
              clearPending([before.id]);
              showError(error);
            });
          trackPending([before.id], work);
        },
      };
      latest.current.dismiss([before.id]);
      setHistory((known) => [...known, decision]);
    },
    [cache, restore],
  );
  const remove = useCallback(
    (item: Item) => {
      const decision: Decision = {
        label: "Deleted",
        title: item.title,
        item,
        items: [item],
        undo: () => cancelRemoval(),
      };
      const cancelRemoval = removeItems(cache, [item], {
        onUndo: () => restore(decision),
        // Deleted on the server, so it can no longer be undone.
        onDeleted: () => setHistory((before) => before.filter((other) => other !== decision)),
      });
      latest.current.dismiss([item.id]);
      setHistory((before) => [...before, decision]);
    },
    [cache, restore],
  );
  return { lastDecision: history.at(-1), restoring: restoring > 0, submit, recordEdit, remove };
}
