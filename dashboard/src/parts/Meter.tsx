import { Group, Text } from "@mantine/core";
import { formatNumber } from "./format";
import classes from "./parts.module.css";

/** Usage against a limit; without a limit, only the number. */
export function Meter({
  label,
  used,
  limit,
  unit = "",
  format = formatNumber,
}: {
  label: string;
  used: number;
  limit: number;
  unit?: string;
  format?: (value: number) => string;
}) {
  const unlimited = limit >= Number.MAX_SAFE_INTEGER;
  const fraction = unlimited || limit <= 0 ? 0 : Math.min(1, used / limit);
  return (
    <div>
      <Group justify="space-between" gap="xs" mb={4}>
        <Text size="sm">{label}</Text>
        <Text size="sm" c="dimmed">
          {format(used)}
          {unit} {unlimited ? "" : `of ${format(limit)}${unit}`}
        </Text>
      </Group>
      <div
        className={classes.meter}
        role="meter"
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(fraction * 100)}
      >
        <div
          className={`${classes.meterFill} ${fraction > 0.85 ? classes.meterHigh : ""}`}
          style={{ width: `${fraction * 100}%` }}
        />
      </div>
    </div>
  );
}

/** A small bar chart without axes. */
export function Sparkline({ values, label }: { values: number[]; label: string }) {
  const highest = Math.max(1, ...values);
  const width = 100 / Math.max(1, values.length);
  return (
    <svg
      className={classes.spark}
      viewBox="0 0 100 30"
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, index) => {
        const height = value === 0 ? 1 : Math.max(2, (value / highest) * 30);
        return (
          <rect
            key={index}
            className={classes.sparkBar}
            x={index * width + width * 0.12}
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
