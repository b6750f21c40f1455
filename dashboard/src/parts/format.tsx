const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const relativeFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dateTimeFormat = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const numberFormat = new Intl.NumberFormat("en");
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function formatRelative(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return relativeFormat.format(Math.round(seconds / length), unit);
  }
  return "just now";
}

/** Relative time, with the exact time as a tooltip. */
export function RelativeTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={dateTimeFormat.format(new Date(at))}>
      {formatRelative(at)}
    </time>
  );
}

export const formatDateTime = (iso: string) => dateTimeFormat.format(new Date(iso));
export const formatNumber = (value: number) => numberFormat.format(value);
export const formatCompact = (value: number) => compactFormat.format(value);
/** "1 item", "2 items". */
export const pluralize = (value: number, word: string, plural = `${word}s`) =>
  `${numberFormat.format(value)} ${value === 1 ? word : plural}`;
export const formatMs = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
