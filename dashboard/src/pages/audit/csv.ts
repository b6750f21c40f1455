import { describeAction, actorName, type Entry } from "./descriptions";

/** Quotes a CSV cell, and escapes text that a spreadsheet would run as a formula. */
export function csvCell(value: string): string {
  const safe = /^[=+\-@\t\r\n]/.test(value.trimStart()) || /^[\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${safe.replaceAll('"', '""')}"`;
}

const HEADERS = [
  "time",
  "actor",
  "userId",
  "authMethod",
  "ipAddress",
  "action",
  "description",
  "target",
  "project",
  "details",
  "requestId",
];

export function toCsv(entries: Entry[], projectName: (projectId: string | null) => string): string {
  const rows = entries.map((entry) => [
    entry.createdAt,
    actorName(entry),
    entry.actor.userId,
    entry.actor.authMethod,
    entry.actor.ipAddress,
    entry.action,
    describeAction(entry),
    entry.target,
    projectName(entry.projectId),
    JSON.stringify(entry.details),
    entry.requestId,
  ]);
  return [HEADERS, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n");
}

/** Saves a generated file through the browser. */
export function download(name: string, content: string) {
  // Without a byte order mark, spreadsheets may guess the wrong encoding.
  const url = URL.createObjectURL(new Blob(["\ufeff", content], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
