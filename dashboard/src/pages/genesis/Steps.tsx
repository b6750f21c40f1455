import { Loader } from "@mantine/core";
import { IconCheck, IconPlayerStop, IconX } from "@tabler/icons-react";
import classes from "./genesis.module.css";
import { isOver, PHASES, reached, type Scan } from "./phases";

type State = "done" | "now" | "failed" | "stopped" | "later";

const SAID: Record<State, string> = {
  done: "done",
  now: "under way",
  failed: "failed here",
  stopped: "stopped here",
  later: "to come",
};

function stateOf(scan: Scan, place: number): State {
  const at = reached(scan);
  if (place < at || scan.phase === "complete") return "done";
  if (place > at) return "later";
  if (!isOver(scan)) return "now";
  return scan.phase === "failed" ? "failed" : "stopped";
}

function Mark({ state, place }: { state: State; place: number }) {
  if (state === "done") return <IconCheck size={16} stroke={2.5} />;
  if (state === "now") return <Loader size={16} color="currentColor" />;
  if (state === "failed") return <IconX size={16} stroke={2.5} />;
  if (state === "stopped") return <IconPlayerStop size={14} stroke={2} />;
  return <>{place + 1}</>;
}

/** The eight phases of a scan, and where it is. */
export function Steps({ scan }: { scan: Scan }) {
  return (
    <ol className={classes.steps} aria-label="Phases" data-over={isOver(scan)}>
      {PHASES.map(({ phase, name }, place) => {
        const state = stateOf(scan, place);
        return (
          <li
            key={phase}
            className={classes.step}
            data-state={state}
            aria-current={state === "now" ? "step" : undefined}
          >
            <span className={classes.mark} aria-hidden>
              <Mark state={state} place={place} />
            </span>
            <span className={classes.stepName}>
              {name}
              <span className="said">: {SAID[state]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
