import { ApiError, readError, type ResponseBody } from "~/api/client";

export type ImportResult = ResponseBody<"/api/v2/import", "post">;
export type Counts = ImportResult["created"];
export const KINDS = ["contexts", "sessions", "events", "items", "revisions"] as const;
export const KIND_NAMES: Record<(typeof KINDS)[number], string> = {
  contexts: "contexts",
  sessions: "sessions",
  events: "events",
  items: "memories",
  revisions: "versions",
};

/** Upload limits of the server, per request; a request holds whole lines. */
const CHUNK_BYTES = 4 * 1024 * 1024;
/** A maximum-size event plus the other fields on its line. */
const LINE_BYTES = CHUNK_BYTES + 256 * 1024;
const CHUNK_LINES = 20_000;
const NEWLINE = 10;
const UNREACHABLE = "Can't reach the server. Check your connection and try again; it is safe to repeat.";

async function checkResponse(request: Promise<Response>): Promise<Response> {
  let response: Response;
  try {
    response = await request;
  } catch {
    throw new ApiError(0, UNREACHABLE);
  }
  if (!response.ok) throw await readError(response);
  return response;
}

/** Downloads the whole project as JSON lines. Throws if the final line is missing. */
export async function downloadExport(projectId: string, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await checkResponse(fetch(`/api/v2/export?projectId=${encodeURIComponent(projectId)}`));
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body!.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.length;
      onProgress(bytes);
    }
  } catch {
    throw new ApiError(0, "The export was interrupted. Try again.");
  }
  const file = new Blob(chunks, { type: "application/x-ndjson" });
  const tail = await file.slice(Math.max(0, file.size - 1000)).text();
  if (!tail.trimEnd().split("\n").at(-1)?.includes('"loremark":"end"'))
    throw new ApiError(0, "The export is incomplete. Try again.");
  return file;
}

/** How many bytes of the chunk to send: whole lines, at least one. */
function wholeLinesEnd(bytes: Uint8Array, isLast: boolean): number {
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
  if (end === 0)
    throw new ApiError(0, "A line in the file is too long. Choose a file exported from Loremark.");
  return end;
}

const addCounts = (a: Counts, b: Counts): Counts =>
  Object.fromEntries(KINDS.map((kind) => [kind, a[kind] + b[kind]])) as Counts;

function addResults(total: ImportResult | null, next: ImportResult): ImportResult {
  if (total === null) return next;
  return {
    dryRun: next.dryRun,
    lines: total.lines + next.lines,
    redacted: total.redacted + next.redacted,
    created: addCounts(total.created, next.created),
    skipped: addCounts(total.skipped, next.skipped),
  };
}

/** Uploads an export in chunks. Existing data is skipped, so it is safe to repeat. `keepReviews`: trust its reviews. */
export async function uploadImport(
  projectId: string,
  file: File,
  dryRun: boolean,
  keepReviews: boolean,
  onProgress: (fraction: number) => void,
): Promise<ImportResult> {
  let total: ImportResult | null = null;
  for (let from = 0; from < file.size;) {
    const bytes = new Uint8Array(await file.slice(from, from + LINE_BYTES).arrayBuffer());
    const end = wholeLinesEnd(bytes, from + bytes.length >= file.size);
    const query = new URLSearchParams({
      projectId,
      dryRun: String(dryRun),
      keepReviews: String(keepReviews),
    });
    const response = await checkResponse(
      fetch(`/api/v2/import?${query.toString()}`, {
        method: "POST",
        headers: { "Content-Type": "application/x-ndjson" },
        body: bytes.slice(0, end),
      }),
    );
    total = addResults(total, (await response.json()) as ImportResult);
    from += end;
    onProgress(from / file.size);
  }
  if (total === null) throw new ApiError(0, "The file is empty. Choose a file exported from Loremark.");
  return total;
}
