import { ApiError, refusal, type Answer } from "~/api/client";

export type Imported = Answer<"/api/v2/import", "post">;
export type Counts = Imported["created"];
export const KINDS = ["contexts", "sessions", "events", "items", "revisions"] as const;

/** What the server takes at once: whole lines, so many bytes and so many lines at most. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** An event as large as one may be has its line's other fields beside it. */
const LINE_BYTES = CHUNK_BYTES + 256 * 1024;
const CHUNK_LINES = 20_000;
const NEWLINE = 10;
const UNREACHED = "The server cannot be reached. Nothing is lost: do it again.";

async function reached(request: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new ApiError(0, UNREACHED);
  }
  if (!response.ok) throw await refusal(response);
  return response;
}

/** The whole project as lines; ``told`` hears how many bytes have come. Refuses one whose last line is missing. */
export async function download(projectId: string, told: (bytes: number) => void): Promise<Blob> {
  const response = await reached(fetch(`/api/v2/export?projectId=${encodeURIComponent(projectId)}`));
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      bytes += value.length;
      told(bytes);
    }
  } catch {
    throw new ApiError(0, "The export broke off. Try it again.");
  }
  const all = new Blob(pieces, { type: "application/x-ndjson" });
  const end = await all.slice(Math.max(0, all.size - 1000)).text();
  if (!end.trimEnd().split("\n").at(-1)?.includes('"loremark":"end"'))
    throw new ApiError(0, "The export broke off before its end. Try it again.");
  return all;
}

/** How much of a piece of the file is sent at once: whole lines, at least one. */
function wholeLines(bytes: Uint8Array, isLast: boolean): number {
  let end = 0;
  let lines = 0;
  for (
    let at = bytes.indexOf(NEWLINE);
    at !== -1 && lines < CHUNK_LINES;
    at = bytes.indexOf(NEWLINE, at + 1)
  ) {
    if (at >= CHUNK_BYTES && end > 0) return end;
    end = at + 1;
    lines += 1;
  }
  if (isLast && lines < CHUNK_LINES && bytes.length <= CHUNK_BYTES) return bytes.length;
  if (end === 0) throw new ApiError(0, "A line of the file is too long: this is no export of Loremark.");
  return end;
}

const sum = (one: Counts, other: Counts): Counts =>
  Object.fromEntries(KINDS.map((kind) => [kind, one[kind] + other[kind]])) as Counts;

function added(before: Imported | null, now: Imported): Imported {
  if (before === null) return now;
  return {
    dryRun: now.dryRun,
    lines: before.lines + now.lines,
    redacted: before.redacted + now.redacted,
    created: sum(before.created, now.created),
    skipped: sum(before.skipped, now.skipped),
  };
}

/** Send an export, chunk by chunk. What is there already stays as it is, so it may be done again. */
export async function upload(
  projectId: string,
  file: File,
  dryRun: boolean,
  told: (part: number) => void,
): Promise<Imported> {
  let done: Imported | null = null;
  for (let from = 0; from < file.size;) {
    const bytes = new Uint8Array(await file.slice(from, from + LINE_BYTES).arrayBuffer());
    const end = wholeLines(bytes, from + bytes.length >= file.size);
    const query = new URLSearchParams({ projectId, dryRun: String(dryRun) });
    const response = await reached(
      fetch(`/api/v2/import?${query.toString()}`, {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson" },
        body: bytes.slice(0, end),
      }),
    );
    done = added(done, (await response.json()) as Imported);
    from += end;
    told(from / file.size);
  }
  if (done === null) throw new ApiError(0, "The file is empty.");
  return done;
}
