import { Group, Text } from "@mantine/core";
import { count } from "./Time";
import classes from "./parts.module.css";

/** So much of so much. Without a real limit only the figure. */
export function Meter({
  label,
  used,
  limit,
  unit = "",
  format = count,
}: {
  label: string;
  used: number;
  limit: number;
  unit?: string;
  format?: (value: number) => string;
}) {
  const endless = limit >= Number.MAX_SAFE_INTEGER;
  const part = endless || limit <= 0 ? 0 : Math.min(1, used / limit);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {format(used)}
          {unit} {endless ? "" : `of ${format(limit)}${unit}`}
        </Text>
      </Group>
      <div
        className={classes.meter}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(part * 100)}
      >
        <div
          className={`${classes.meterFill} ${part > 0.85 ? classes.meterHigh : ""}`}
          style={{ width: `${part * 100}%` }}
        />
      </div>
    </div>
  );
}

/** A row of bars without axes: how something went. */
export function Spark({ values, label }: { values: number[]; label: string }) {
  const most = Math.max(1, ...values);
  const width = 100 / Math.max(1, values.length);
  return (
    <svg
      className={classes.spark}
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, place) => {
        const height = value === 0 ? 1 : Math.max(2, (value / most) * 30);
        return (
          <rect
            key={place}
            className={classes.sparkBar}
            x={place * width + width * 0.12}
            y={30 - height}
            width={width * 0.76}
            height={height}
            rx={0.8}
          />
        );
      })}
    </svg>
  );
}
