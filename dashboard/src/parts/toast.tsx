import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ApiError } from "~/api/client";

/** Long enough to read a line and reach for the mouse. */
export const UNDO_MS = 6000;
/** The button that puts a note away has only a picture. */
const CLOSE = { closeButtonProps: { "aria-label": "Close" } };

export function showProblem(problem: ApiError | Error) {
  notifications.show({
    color: "red",
    title: "That did not work",
    message: problem.message,
    autoClose: 8000,
    ...CLOSE,
  });
}

export function showDone(message: string) {
  notifications.show({ message, autoClose: 3000, ...CLOSE });
}

/** What was done, with a way back. Returned: how to put the note away. */
export function showUndo(message: string, undo: () => void): () => void {
  const id = notifications.show({
    ...CLOSE,
    autoClose: UNDO_MS,
    message: (
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm">{message}</Text>
        <Button
          size="compact-sm"
          variant="default"
          onClick={() => {
            notifications.hide(id);
            undo();
          }}
        >
          Undo
        </Button>
      </Group>
    ),
  });
  return () => notifications.hide(id);
}

/** Do it when nobody has taken it back for a while, or when the page is left. Returned: how to take it back. */
export function doLater(message: string, act: (leaving: boolean) => void, undo: () => void): () => void {
  let open = true;
  const finish = (leaving: boolean) => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", leave);
    act(leaving);
  };
  const leave = () => finish(true);
  const timer = setTimeout(() => finish(false), UNDO_MS);
  window.addEventListener("pagehide", leave);
  const takeBack = () => {
    if (!open) return;
    open = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", leave);
    undo();
  };
  const putAway = showUndo(message, takeBack);
  return () => {
    putAway();
    takeBack();
  };
}
