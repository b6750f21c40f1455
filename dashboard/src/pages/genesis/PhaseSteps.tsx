import { Loader } from "@mantine/core";
import { IconCheck, IconPlayerStop, IconX } from "@tabler/icons-react";
import classes from "./genesis.module.css";
import { isFinished, PHASES, phaseIndex, type Scan } from "./phases";

type State = "done" | "active" | "failed" | "stopped" | "pending";

const STATE_TEXT: Record<State, string> = {
  done: "done",
  active: "in progress",
  failed: "failed",
  stopped: "stopped",
  pending: "pending",
};

function phaseState(scan: Scan, index: number): State {
  const at = phaseIndex(scan);
  if (index < at || scan.phase === "complete") return "done";
  if (index > at) return "pending";
  if (!isFinished(scan)) return "active";
  return scan.phase === "failed" ? "failed" : "stopped";
}

function StepIcon({ state, index }: { state: State; index: number }) {
  if (state === "done") return <IconCheck size={16} stroke={2.5} />;
  if (state === "active") return <Loader size={16} color="currentColor" />;
  if (state === "failed") return <IconX size={16} stroke={2.5} />;
  if (state === "stopped") return <IconPlayerStop size={14} stroke={2} />;
  return <>{index + 1}</>;
}

/** The phases of a scan with the state of each. */
export function PhaseSteps({ scan }: { scan: Scan }) {
  return (
    <ol className={classes.steps} aria-label="Phases" data-finished={isFinished(scan)}>
      {PHASES.map(({ phase, name }, index) => {
        const state = phaseState(scan, index);
        return (
          <li
            key={phase}
            className={classes.step}
            data-state={state}
            aria-current={state === "active" ? "step" : undefined}
          >
            <span className={classes.stepIcon} aria-hidden>
              <StepIcon state={state} index={index} />
            </span>
            <span className={classes.stepName}>
              {name}
              <span className="visually-hidden">: {STATE_TEXT[state]}</span>
            </span>
          </li>
        );
      })}
    </ol>
  );
}
