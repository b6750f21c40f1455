import { IconCheck } from "@tabler/icons-react";
import { useId } from "react";
import { AGENTS } from "./agents";
import classes from "./keys.module.css";

/** Radio buttons for choosing an agent. */
export function AgentPicker({ value, onChange }: { value: string; onChange: (name: string) => void }) {
  const group = useId();
  return (
    <fieldset className={classes.agents}>
      <legend className="visually-hidden">Agent</legend>
      {AGENTS.map((agent) => (
        <label key={agent.name} className={classes.agent}>
          <input
            type="radio"
            name={group}
            value={agent.name}
            checked={agent.name === value}
            onChange={() => onChange(agent.name)}
          />
          {agent.title}
          {agent.name === value && <IconCheck size={16} className={classes.check} aria-hidden />}
        </label>
      ))}
    </fieldset>
  );
}
