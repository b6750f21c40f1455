/** Payloads are untyped: fields are read if they have the expected type, and everything else is shown as raw JSON. */
export type Payload = Record<string, unknown>;

/** Reference to a large text that is stored separately and fetched on demand. */
export interface BlobRef {
  $blob: string;
  size: number;
}
export type TextValue = string | BlobRef;

export const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isBlobRef = (value: unknown): value is BlobRef =>
  isObject(value) && typeof value["$blob"] === "string" && typeof value["size"] === "number";

export const asText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
export const asTextValue = (value: unknown): TextValue | null =>
  isBlobRef(value) ? value : typeof value === "string" && value.trim() ? value : null;
export const asNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** Wraps a single value in a list. */
export const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value];

/** The first of these fields that has text. */
export function firstText(payload: Payload, ...names: string[]): string {
  for (const name of names) {
    const found = asText(payload[name]).trim();
    if (found) return found;
  }
  return "";
}
export function firstTextValue(payload: Payload, ...names: string[]): TextValue | null {
  for (const name of names) {
    const found = asTextValue(payload[name]);
    if (found !== null) return found;
  }
  return null;
}

/** File paths from a list of strings or of objects with a path. */
export function filePaths(value: unknown): string[] {
  return asList(value).flatMap((entry) => {
    const path = isObject(entry)
      ? firstText(entry, "path", "filename", "file", "newPath", "name")
      : asText(entry);
    return path ? [path] : [];
  });
}

/** The payload without the given fields. */
export function without(payload: Payload, shown: Iterable<string>): Payload {
  const excluded = new Set(shown);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !excluded.has(name)));
}

export function formatBytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  if (size < 1024 * 1024) return `${Math.round(size / 1024)} KiB`;
  return `${(size / 1024 / 1024).toFixed(1)} MiB`;
}
