import { useEffect, useRef } from "react";
import classes from "./parts.module.css";

const WRITING = "input, textarea, select, [contenteditable=true], [role=combobox], [role=slider]";

/** Keys that do something on this page, unless somebody is writing or a dialog is open. */
export function useKeys(keys: Record<string, (event: KeyboardEvent) => void>, active = true) {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!active) return undefined;
    const press = (event: KeyboardEvent) => {
      const at = event.target as HTMLElement | null;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (at?.closest(WRITING) || document.querySelector("[role=dialog][aria-modal=true]")) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [active]);
}

export function Key({ children }: { children: string }) {
  return <kbd className={classes.key}>{children}</kbd>;
}
