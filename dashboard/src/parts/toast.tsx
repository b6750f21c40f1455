import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ApiError } from "~/api/client";
import { errorText } from "./errorText";

/** Long enough to read a line and reach for the mouse. */
export const UNDO_MS = 6000;
/** The close button has only an icon. */
const CLOSE = { closeButtonProps: { "aria-label": "Close" } };

export function showError(error: ApiError | Error) {
  notifications.show({
    color: "red",
    title: "Something went wrong",
    message: errorText(error),
    autoClose: 8000,
    ...CLOSE,
  });
}

export function showSuccess(message: string) {
  notifications.show({ message, autoClose: 3000, ...CLOSE });
}

/** Shows a message with an Undo button. Returns a function that hides it. */
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

/** Acts once the undo period is over or the page is closed. Returns a function that undoes it. */
export function doWithUndo(message: string, act: (leaving: boolean) => void, undo: () => void): () => void {
  let pending = true;
  const finish = (leaving: boolean) => {
    if (!pending) return;
    pending = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", leave);
    act(leaving);
  };
  const leave = () => finish(true);
  const timer = setTimeout(() => finish(false), UNDO_MS);
  window.addEventListener("pagehide", leave);
  const cancel = () => {
    if (!pending) return;
    pending = false;
    clearTimeout(timer);
    window.removeEventListener("pagehide", leave);
    undo();
  };
  const hide = showUndo(message, cancel);
  return () => {
    hide();
    cancel();
  };
}
