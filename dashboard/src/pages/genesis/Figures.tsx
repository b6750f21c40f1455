import type { ReactNode } from "react";
import { count } from "~/parts/Time";
import classes from "./genesis.module.css";

type Figure = [name: string, value: number | ReactNode, of?: number];

/** A row of figures, each with its name. */
export function Figures({ figures }: { figures: Figure[] }) {
  return (
    <dl className={classes.figures}>
      {figures.map(([name, value, of]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === "number" ? count(value) : value}
            {of !== undefined && of > 0 && <small> of {count(of)}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
