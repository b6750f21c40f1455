import type { ReactNode } from "react";
import { formatNumber } from "~/parts/format";
import classes from "./genesis.module.css";

type Stat = [name: string, value: number | ReactNode, of?: number];

/** A row of labeled numbers. */
export function Stats({ stats }: { stats: Stat[] }) {
  return (
    <dl className={classes.stats}>
      {stats.map(([name, value, total]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {typeof value === "number" ? formatNumber(value) : value}
            {total !== undefined && total > 0 && <small> of {formatNumber(total)}</small>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
