import { Text } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { useMemo, useState, type PointerEvent } from "react";
import { formatCompact, formatNumber, formatDateTime } from "~/parts/format";
import classes from "./billing.module.css";
import {
  axisMax,
  balanceHistory,
  describeTransaction,
  type BalancePoint,
  type Transaction,
} from "./balanceHistory";

const HEIGHT = 180;
const DAY_MS = 86_400_000;

const dateFormat = new Intl.DateTimeFormat("en", { day: "numeric", month: "short", year: "numeric" });

function describePoint({ balance, transaction }: BalancePoint): string {
  if (!transaction) return `${formatNumber(balance)} tokens`;
  const change = `${transaction.amount > 0 ? "+" : ""}${formatNumber(transaction.amount)}`;
  const what = `${describeTransaction(transaction)} (${change})`;
  return `${formatDateTime(transaction.createdAt)}: ${what}, balance ${formatNumber(balance)} tokens`;
}

/** The credit balance over time. The transactions table shows the same data. */
export function BalanceChart({ balance, transactions }: { balance: number; transactions: Transaction[] }) {
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<BalancePoint | null>(null);
  const points = useMemo(() => balanceHistory(balance, transactions), [balance, transactions]);
  const first = points[0]!.at;
  const span = (points.at(-1)!.at - first) * 1.02;
  const top = axisMax(Math.max(...points.map((point) => point.balance)));
  const x = (at: number) => ((at - first) / span) * width;
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT;
  const line = points
    .map((point, index) => (index === 0 ? `M0 ${y(point.balance)}` : `H${x(point.at)} V${y(point.balance)}`))
    .join(" ");
  const onPointerMove = (event: PointerEvent<SVGSVGElement>) => {
    const at = first + (event.nativeEvent.offsetX / Math.max(1, width)) * span;
    setHovered(points.findLast((point) => point.at <= at) ?? null);
  };
  const label = `Balance over time: ${formatNumber(points[0]!.balance)} tokens at first, ${formatNumber(balance)} now.`;
  return (
    <figure className={classes.chart}>
      <div className={classes.plot}>
        <div className={classes.axisLabels} aria-hidden>
          <span>{formatCompact(top)}</span>
          <span>{formatCompact(top / 2)}</span>
          <span>0</span>
        </div>
        <div ref={ref} className={classes.canvas}>
          <svg
            width={width}
            height={HEIGHT}
            role="img"
            aria-label={label}
            onPointerMove={onPointerMove}
            onPointerLeave={() => setHovered(null)}
          >
            {[0, 0.5, 1].map((fraction) => (
              <line
                key={fraction}
                className={classes.gridline}
                x1={0}
                x2={width}
                y1={y(fraction * top)}
                y2={y(fraction * top)}
              />
            ))}
            <path className={classes.area} d={`${line} V${HEIGHT} H0 Z`} />
            <path className={classes.line} d={line} />
            {points.map(
              (point) =>
                point.transaction?.type === "purchase" && (
                  <circle
                    key={point.transaction.id}
                    className={classes.dot}
                    cx={x(point.at)}
                    cy={y(point.balance)}
                    r={4}
                  />
                ),
            )}
            {hovered && (
              <line className={classes.guide} x1={x(hovered.at)} x2={x(hovered.at)} y1={0} y2={HEIGHT} />
            )}
          </svg>
        </div>
      </div>
      <div className={classes.timeLabels} aria-hidden>
        <span>{dateFormat.format(first)}</span>
        {span > 4 * DAY_MS && <span>{dateFormat.format(first + span / 2)}</span>}
        <span>Now</span>
      </div>
      <Text component="figcaption" size="xs" c="dimmed">
        {hovered ? describePoint(hovered) : "Credit balance in tokens. Dots mark purchases."}
      </Text>
    </figure>
  );
}
