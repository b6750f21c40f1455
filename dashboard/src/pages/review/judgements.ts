import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useRef, useState } from "react";
import { call } from "~/api/client";
import { refresh } from "~/api/hooks";
import { decide, forget, settled } from "~/api/items";
import type { Item } from "~/api/types";
import { showProblem } from "~/parts/toast";
import { inOrder, judge, remove, type Verdict } from "../item/judging";

interface Queue {
  leave: (ids: string[]) => void;
  comeBack: (those: Item[], to: string) => void;
}

interface Past {
  words: string;
  /** The one that was judged, and all that the judgement was on. */
  of: Item;
  items: Item[];
  undo: () => void;
}

/** Judging moves on at once; each judgement can be taken back, the last one first. */
export function useJudgements(queue: Queue) {
  const cache = useQueryClient();
  const [past, setPast] = useState<Past[]>([]);
  /** Until they are back on the server, what stands around them is not what it will be. */
  const [returning, setReturning] = useState(0);
  const latest = useRef(queue);
  latest.current = queue;
  const back = useCallback((one: Past) => {
    setPast((before) => before.filter((other) => other !== one));
    latest.current.comeBack(one.items, one.of.id);
  }, []);
  const pass = useCallback(
    (words: string, of: Item, verdicts: Verdict[]) => {
      const judgement = judge(cache, verdicts, true);
      const items = verdicts.map(({ item }) => item);
      const one: Past = {
        words,
        of,
        items,
        undo: () => {
          back(one);
          setReturning((many) => many + 1);
          void judgement
            .undo()
            .then(() => refresh(cache, (address) => address === "/api/v2/items/{id}/related"))
            .finally(() => setReturning((many) => many - 1));
        },
      };
      latest.current.leave(items.map(({ id }) => id));
      setPast((before) => [...before, one]);
      void judgement.finished.then((failures) => failures.length > 0 && back(one));
    },
    [cache, back],
  );
  /** It was edited and judged by that: going back is going back to its version before. */
  const edited = useCallback(
    (before: Item, words: string) => {
      const one: Past = {
        words,
        of: before,
        items: [before],
        undo: () => {
          back(one);
          decide([[before.id, before]]);
          const work = call("post", "/api/v2/items/{id}/revert", {
            path: { id: before.id },
            body: { version: before.version },
          })
            .then((now) => settled(cache, new Map([[now.id, now]])))
            .catch((problem: Error) => {
              forget([before.id]);
              showProblem(problem);
            });
          inOrder([before.id], work);
        },
      };
      latest.current.leave([before.id]);
      setPast((known) => [...known, one]);
    },
    [cache, back],
  );
  const drop = useCallback(
    (item: Item) => {
      const one: Past = { words: "Deleted", of: item, items: [item], undo: () => takeBack() };
      const takeBack = remove(cache, [item], {
        undone: () => back(one),
        // Gone for good: it is no longer among what can be taken back.
        gone: () => setPast((before) => before.filter((other) => other !== one)),
      });
      latest.current.leave([item.id]);
      setPast((before) => [...before, one]);
    },
    [cache, back],
  );
  return { last: past.at(-1), returning: returning > 0, pass, edited, drop };
}
