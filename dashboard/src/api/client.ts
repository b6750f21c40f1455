import type { paths } from "./schema";

/** An error response, with the server's message. Status 0 means the server could not be reached. */
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
/** The paths that support a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: Exclude<Operation<P, M>, undefined> extends never ? never : P;
}[keyof paths];

type Content<T> = T extends { content: { "application/json": infer C } } ? C : undefined;
type Success<R> = Content<R[keyof R & (200 | 201 | 202 | 204)]>;
export type ResponseBody<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? Success<R> : never;
type Parameters<O, Place extends string> = O extends { parameters: infer A }
  ? Place extends keyof A
    ? Exclude<A[Place], undefined>
    : never
  : never;
type Body<O> = O extends { requestBody?: infer B } ? Content<Exclude<B, undefined>> : never;

export interface RequestOptions<P extends keyof paths, M extends Method> {
  path?: Parameters<Operation<P, M>, "path">;
  query?: Parameters<Operation<P, M>, "query">;
  body?: Body<Operation<P, M>>;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Finish the request even if the page is closed. */
  keepalive?: boolean;
}

/** A response body with the headers the dashboard uses. */
export interface ApiResponse<T> {
  data: T;
  etag: string | null;
  nextCursor: string | null;
  total: number | null;
}

/** Dispatches "out" when a request fails because the login has ended. */
export const signedOut = new EventTarget();

function buildUrl(path: string, options: { path?: unknown; query?: unknown }): string {
  const values = (options.path ?? {}) as Record<string, string>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries((options.query ?? {}) as Record<string, unknown>)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const query = params.toString();
  return query ? `${filled}?${query}` : filled;
}

/** The error of a failed response, with the server's message if it sent one. */
export async function readError(response: Response): Promise<ApiError> {
  let message = `The server responded with status ${response.status}. Try again in a moment.`;
  try {
    const body: unknown = await response.json();
    if (body && typeof body === "object" && "error" in body && typeof body.error === "string")
      message = body.error;
  } catch {
    // Not JSON: a proxy between us and the server responded.
  }
  const wait = Number(response.headers.get("Retry-After"));
  return new ApiError(response.status, message, Number.isFinite(wait) && wait > 0 ? wait : null);
}

export async function request<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: RequestOptions<P, M> = {},
): Promise<ApiResponse<ResponseBody<P, M>>> {
  const headers: Record<string, string> = {};
  if (options.body !== undefined) headers["Content-Type"] = "application/json";
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.idempotencyKey) headers["Idempotency-Key"] = options.idempotencyKey;
  let response: Response;
  try {
    response = await fetch(buildUrl(path as string, options), {
      method: method.toUpperCase(),
      headers,
      body: options.body === undefined ? undefined : JSON.stringify(options.body),
      signal: options.signal,
      keepalive: options.keepalive,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new ApiError(0, "Can't reach the server. Check your connection; this page may be out of date.");
  }
  if (!response.ok) {
    const error = await readError(response);
    if (response.status === 401 && !String(path).startsWith("/api/auth/"))
      signedOut.dispatchEvent(new Event("out"));
    throw error;
  }
  const total = response.headers.get("X-Total-Count");
  return {
    data: (response.status === 204 ? undefined : await response.json()) as ResponseBody<P, M>,
    etag: response.headers.get("ETag"),
    nextCursor: response.headers.get("X-Next-Cursor"),
    total: total === null ? null : Number(total),
  };
}

/** Like `request`, but returns only the response body. */
export async function call<M extends Method, P extends PathOf<M>>(
  method: M,
  path: P,
  options: RequestOptions<P, M> = {},
): Promise<ResponseBody<P, M>> {
  return (await request(method, path, options)).data;
}
