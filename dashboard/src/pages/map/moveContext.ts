import { useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { call } from "~/api/client";
import { invalidate } from "~/api/hooks";
import { showError, showUndo } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { updateMapContext, mapKey } from "./contexts";
import type { Node, MapContext } from "./contextTree";

const INVALIDATED = ["/api/contexts", "/api/v2/map", "/api/v2/brain"];

/** Moves a context optimistically, with undo. */
export function useMoveContext() {
  const cache = useQueryClient();
  const projectId = useProject().id;
  const send = useCallback(
    async (context: MapContext, from: string | null, to: string | null): Promise<boolean> => {
      await cache.cancelQueries({ queryKey: mapKey(projectId) });
      updateMapContext(cache, projectId, context.id, { parentId: to });
      try {
        await call("patch", "/api/contexts/{id}", {
          path: { id: context.id },
          body: { parentContextId: to },
        });
        return true;
      } catch (error) {
        updateMapContext(cache, projectId, context.id, { parentId: from });
        showError(error as Error);
        return false;
      } finally {
        void invalidate(cache, (address) => INVALIDATED.some((prefix) => address.startsWith(prefix)));
      }
    },
    [cache, projectId],
  );
  return useCallback(
    async (node: Node, target: Node | null) => {
      const { context } = node;
      const to = target?.context.id ?? null;
      if (!(await send(context, context.parentId, to))) return;
      const where = target ? `under “${target.context.name}”` : "to the top level";
      showUndo(`Moved “${context.name}” ${where}.`, () => void send(context, to, context.parentId));
    },
    [send],
  );
}
