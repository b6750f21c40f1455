import type { paths } from "./schema";

/** A refusal in the server's own words. Status 0: it was not reached at all. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message);
    this.name = "ApiError";
  }
}

export type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = paths[P][M];
/** The addresses that know a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: Exclude<Operation<P, M>, undefined> extends never ? never : P;
}[keyof paths];

type Content<T> = T extends { content: { "application/json": infer C } } ? C : undefined;
type Success<R> = Content<R[keyof R & (200 | 201 | 202 | 204)]>;
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? Success<R> : never;
type Parameters<O, Place extends string> = O extends { parameters: infer A }
  ? Place extends keyof A
    ? Exclude<A[Place], undefined>
    : never
  : never;
type Body<O> = O extends { requestBody?: infer B } ? Content<Exclude<B, undefined>> : never;

export interface Given<P extends keyof paths, M extends Method> {
  path?: Parameters<Operation<P, M>, "path">;
  query?: Parameters<Operation<P, M>, "query">;
  body?: Body<Operation<P, M>>;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** The request outlives the page: for what was promised and is done on leaving. */
  keepalive?: boolean;
}

/** An answer with what its headers say. */
export interface Told<T> {
  data: T;
  etag: string | null;
  nextCursor: string | null;
  total: number | null;
}

/** Whoever shows the sign-in page is told here that a login has ended. */
export const signedOut = new EventTarget();

function address(path: string, given: { path?: unknown; query?: unknown }): string {
  const places = (given.path ?? {}) as Record<string, string>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(places[name] ?? ""));
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries((given.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") asked.set(name, String(value));
  }
  const query = asked.toString();
  return query ? `${filled}?${query}` : filled;
}

/** A sentence for every failure, the server's own where there is one. */
export async function refusal(response: Response): Promise<ApiError> {
  let message = `The server answered ${response.status}.`;
  try {
    const told: unknown = await response.json();
    if (told && typeof told === "object" && "error" in told && typeof told.error === "string")
      message = told.error;
  } catch {
    // Not JSON: something between us and the server answered.
  }
  const wait = Number(response.headers.get("Retry-After"));
  return new ApiError(response.status, message, Number.isFinite(wait) && wait > 0 ? wait : null);
}

export async function tell<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  given: Given<P, M> = {},
): Promise<Told<Answer<P, M>>> {
  const headers: Record<string, string> = {};
  if (given.body !== undefined) headers["Content-Type"] = "application/json";
  if (given.ifMatch) headers["If-Match"] = given.ifMatch;
  if (given.idempotencyKey) headers["Idempotency-Key"] = given.idempotencyKey;
  let response: Response;
  try {
    response = await fetch(address(path as string, given), {
      method: method.toUpperCase(),
      headers,
      body: given.body === undefined ? undefined : JSON.stringify(given.body),
      signal: given.signal,
      keepalive: given.keepalive,
    });
  } catch (problem) {
    if (given.signal?.aborted) throw problem;
    throw new ApiError(0, "The server cannot be reached. What you see may be old.");
  }
  if (!response.ok) {
    const refused = await refusal(response);
    if (response.status === 401 && !String(path).startsWith("/api/auth/"))
      signedOut.dispatchEvent(new Event("out"));
    throw refused;
  }
  const total = response.headers.get("X-Total-Count");
  return {
    data: (response.status === 204 ? undefined : await response.json()) as Answer<P, M>,
    etag: response.headers.get("ETag"),
    nextCursor: response.headers.get("X-Next-Cursor"),
    total: total === null ? null : Number(total),
  };
}

export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  given: Given<P, M> = {},
): Promise<Answer<P, M>> {
  return (await tell(method, path, given)).data;
}
