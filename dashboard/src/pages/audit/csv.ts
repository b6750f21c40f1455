import { what, who, type Entry } from "./words";

/** What a spreadsheet would take for a formula is made a text; quotes are doubled, as CSV wants it. */
export function cell(value: string): string {
  const harmless = /^[=+\-@\t\r\n]/.test(value.trimStart()) || /^[\t\r\n]/.test(value) ? `'${value}` : value;
  return `"${harmless.replaceAll('"', '""')}"`;
}

const HEAD = [
  "time",
  "who",
  "userId",
  "via",
  "address",
  "action",
  "what",
  "target",
  "project",
  "detail",
  "requestId",
];

export function table(entries: Entry[], nameOf: (projectId: string | null) => string): string {
  const rows = entries.map((entry) => [
    entry.createdAt,
    who(entry),
    entry.actor.userId,
    entry.actor.via,
    entry.actor.address,
    entry.action,
    what(entry),
    entry.target,
    nameOf(entry.projectId),
    JSON.stringify(entry.detail),
    entry.requestId,
  ]);
  return [HEAD, ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

/** Hand the reader a file that was made here. */
export function download(name: string, content: string) {
  // Spreadsheets take a file without this mark for one of another alphabet.
  const address = URL.createObjectURL(new Blob(["\ufeff", content], { type: "text/csv;charset=utf-8" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
