/** Payloads may hold anything: fields are read as the kind that is hoped for, and what is not of it is left over. */
export type Payload = Record<string, unknown>;

/** A text that is kept apart because it is large; it is fetched when somebody wants to read it. */
export interface Large {
  $blob: string;
  size: number;
}
export type Words = string | Large;

export const isObject = (value: unknown): value is Payload =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isLarge = (value: unknown): value is Large =>
  isObject(value) && typeof value["$blob"] === "string" && typeof value["size"] === "number";

export const asText = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
export const asWords = (value: unknown): Words | null =>
  isLarge(value) ? value : typeof value === "string" && value.trim() ? value : null;
export const asNumber = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) ? value : null;
/** A list as it is; one thing alone is a list of itself. */
export const asList = (value: unknown): unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null || value === "" ? [] : [value];

/** The first of these fields that says something. */
export function firstText(holder: Payload, ...names: string[]): string {
  for (const name of names) {
    const found = asText(holder[name]).trim();
    if (found) return found;
  }
  return "";
}
export function firstWords(holder: Payload, ...names: string[]): Words | null {
  for (const name of names) {
    const found = asWords(holder[name]);
    if (found !== null) return found;
  }
  return null;
}

/** Paths, whether they stand there alone or with what happened to them. */
export function filesOf(value: unknown): string[] {
  return asList(value).flatMap((entry) => {
    const path = isObject(entry)
      ? firstText(entry, "path", "filename", "file", "newPath", "name")
      : asText(entry);
    return path ? [path] : [];
  });
}

/** What is left when these fields have been shown. */
export function without(payload: Payload, shown: Iterable<string>): Payload {
  const gone = new Set(shown);
  return Object.fromEntries(Object.entries(payload).filter(([name]) => !gone.has(name)));
}

export function bytes(size: number): string {
  if (size < 1024) return `${size} bytes`;
  if (size < 1024 * 1024) return `${Math.round(size / 1024)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}
