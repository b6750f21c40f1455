import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "~/api/client";
import { refresh } from "~/api/hooks";
import { showProblem, showUndo } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { changePlace, mapKey } from "./contexts";
import type { Node, Place } from "./places";

const TOUCHED = ["/api/contexts", "/api/v2/map", "/api/v2/brain"];

/** Hang a context elsewhere: shown at once, with a way back. */
export function useMoving() {
  const cache = useQueryClient();
  const projectId = useProject().id;
  const send = useCallback(
    async (place: Place, from: string | null, to: string | null): Promise<boolean> => {
      await cache.cancelQueries({ queryKey: mapKey(projectId) });
      changePlace(cache, projectId, place.id, { parentId: to });
      try {
        await call("patch", "/api/contexts/{id}", { path: { id: place.id }, body: { parentContextId: to } });
        return true;
      } catch (problem) {
        changePlace(cache, projectId, place.id, { parentId: from });
        showProblem(problem as Error);
        return false;
      } finally {
        void refresh(cache, (address) => TOUCHED.some((prefix) => address.startsWith(prefix)));
      }
    },
    [cache, projectId],
  );
  return useCallback(
    async (node: Node, target: Node | null) => {
      const { place } = node;
      const to = target?.place.id ?? null;
      if (!(await send(place, place.parentId, to))) return;
      const where = target ? `below “${target.place.name}”` : "to the top";
      showUndo(`Moved “${place.name}” ${where}`, () => void send(place, to, place.parentId));
    },
    [send],
  );
}
