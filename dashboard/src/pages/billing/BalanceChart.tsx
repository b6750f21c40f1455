import { Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useMemo, useState, type PointerEvent } from "react";
import { compact, count, dateTime } from "~/parts/Time";
import classes from "./billing.module.css";
import { ceiling, course, said, type Step, type Transaction } from "./course";

const HEIGHT = 180;
const DAY_MS = 86_400_000;

const when = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });

function told(step: Step): string {
  if (!step.of) return `${count(step.balance)} tokens`;
  const change = `${step.of.amount > 0 ? "+" : ""}${count(step.of.amount)}`;
  return `${dateTime(step.of.createdAt)}: ${said(step.of)} (${change}), then ${count(step.balance)} tokens`;
}

/** The balance over time. The table beside it says the same in figures. */
export function BalanceChart({ balance, transactions }: { balance: number; transactions: Transaction[] }) {
  const { ref, width } = useElementSize();
  const [pointed, setPointed] = useState<Step | null>(null);
  const steps = useMemo(() => course(balance, transactions), [balance, transactions]);
  const first = steps[0]!.at;
  const span = (steps.at(-1)!.at - first) * 1.02;
  const top = ceiling(Math.max(...steps.map((step) => step.balance)));
  const x = (at: number) => ((at - first) / span) * width;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const line = steps
    .map((step, place) => (place === 0 ? `M0 ${y(step.balance)}` : `H${x(step.at)} V${y(step.balance)}`))
    .join(" ");
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const at = first + (event.nativeEvent.offsetX / Math.max(1, width)) * span;
    setPointed(steps.findLast((step) => step.at <= at) ?? null);
  };
  const label = `Balance over time: ${count(steps[0]!.balance)} tokens at first, ${count(balance)} now.`;
  return (
    <figure className={classes.chart}>
      <div className={classes.plot}>
        <div className={classes.scale} aria-hidden>
          <span>{compact(top)}</span>
          <span>{compact(top / 2)}</span>
          <span>0</span>
        </div>
        <div ref={ref} className={classes.canvas}>
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={label}
            onPointerMove={point}
            onPointerLeave={() => setPointed(null)}
          >
            {[0, 0.5, 1].map((part) => (
              <line
                key={part}
                className={classes.rule}
                x1={0}
                x2={width}
                y1={y(part * top)}
                y2={y(part * top)}
              />
            ))}
            <path className={classes.area} d={`${line} V${HEIGHT} H0 Z`} />
            <path className={classes.line} d={line} />
            {steps.map(
              (step) =>
                step.of?.type === "purchase" && (
                  <circle
                    key={step.of.id}
                    className={classes.dot}
                    cx={x(step.at)}
                    cy={y(step.balance)}
                    r={4}
                  />
                ),
            )}
            {pointed && (
              <line className={classes.guide} x1={x(pointed.at)} x2={x(pointed.at)} y1={0} y2={HEIGHT} />
            )}
          </svg>
        </div>
      </div>
      <div className={classes.times} aria-hidden>
        <span>{when.format(first)}</span>
        {span > 4 * DAY_MS && <span>{when.format(first + span / 2)}</span>}
        <span>Now</span>
      </div>
      <Text component="figcaption" size="xs" c="dimmed">
        {pointed ? told(pointed) : "Tokens of credit. A dot is a purchase."}
      </Text>
    </figure>
  );
}
