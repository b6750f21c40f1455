import { useEffect, useRef } from "react";
import classes from "./parts.module.css";

const EDITABLE = "input, textarea, select, [contenteditable=true], [role=combobox], [role=slider]";

/** Binds keyboard shortcuts, ignored while typing or while a dialog is open. */
export function useShortcuts(shortcuts: Record<string, (event: KeyboardEvent) => void>, active = true) {
  const latest = useRef(shortcuts);
  latest.current = shortcuts;
  useEffect(() => {
    if (!active) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement | null;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target?.closest(EDITABLE) || document.querySelector("[role=dialog][aria-modal=true]")) return;
      const action = latest.current[event.key];
      if (!action) return;
      event.preventDefault();
      action(event);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [active]);
}

export function Kbd({ children }: { children: string }) {
  return <kbd className={classes.key}>{children}</kbd>;
}
