const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["week", 604_800],
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];
const near = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
const number = new Intl.NumberFormat("en");
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export function ago(iso: string, now = Date.now()): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  for (const [unit, length] of STEPS) {
    if (Math.abs(seconds) >= length) return near.format(Math.round(seconds / length), unit);
  }
  return "just now";
}

/** How long ago; the exact time on pointing at it. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exact.format(new Date(at))}>
      {ago(at)}
    </time>
  );
}

export const dateTime = (iso: string) => exact.format(new Date(iso));
export const count = (value: number) => number.format(value);
export const compact = (value: number) => short.format(value);
/** "1 item", "2 items". */
export const amount = (value: number, word: string) =>
  `${number.format(value)} ${word}${value === 1 ? "" : "s"}`;
export const duration = (ms: number) => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`);
