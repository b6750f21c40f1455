import type { Tone } from "~/parts/Tag";
import type { components } from "~/api/schema";

export type SessionEntry = components["schemas"]["SessionEntry"];
export type SessionStatus = SessionEntry["status"];
export type Stage = components["schemas"]["PipelineStage"];

export const STATUSES: SessionStatus[] = ["active", "enriching", "completed", "failed"];
export const STATUS_TONE: Record<SessionStatus, Tone> = {
  active: "info",
  enriching: "soft",
  completed: "good",
  failed: "bad",
};
export const STATUS_DESCRIPTION: Record<SessionStatus, string> = {
  active: "Still receiving events",
  enriching: "Memories are being extracted from its events",
  completed: "No longer receiving events",
  failed: "Enrichment failed; the events are kept and you can retry",
};

const clock = new Intl.DateTimeFormat("en", { timeStyle: "short" });
const day = new Intl.DateTimeFormat("en", { dateStyle: "full" });

export const timeOfDay = (iso: string) => clock.format(new Date(iso));

export function dayLabel(iso: string, now = new Date()): string {
  const then = new Date(iso);
  const start = (at: Date) => new Date(at.getFullYear(), at.getMonth(), at.getDate()).getTime();
  const days = Math.round((start(now) - start(then)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return day.format(then);
}

/** A duration in its two largest units. */
export function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 1) return "less than a second";
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.round(hours / 24)} days`;
}
