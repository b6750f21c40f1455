import { ApiError, call, refusal } from "./client";
import type { Source } from "./types";

/** The last of a stream: an answer, or the error that kept it away. */
export interface AnswerDone {
  type: "done";
  answer?: string;
  error?: string;
  sources: Source[];
  avgSimilarity: number;
  model: string;
}

export interface Question {
  projectId: string;
  question: string;
  chatSessionId: string | null;
}

export interface Listening {
  /** The conversation the answer belongs to; a new one where none was named. */
  chat: (chatId: string) => void;
  token: (text: string) => void;
}

/** More than any answer with all its sources; a server that sends more is not ours. */
const MOST_CHARS = 32 * 1024 * 1024;
/** A line ends in CR, LF or both; a CR that came last may be the first half of both. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * The data of server-sent events, one after the other. Pieces may be cut anywhere: inside a character, a line or its
 * end. Comments (they only keep the line open) and fields other than data are passed over; an event that was not ended
 * by an empty line never was one.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let data: string[] = [];
  let rest = "";
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const piece = decoder.decode(value, { stream: !done });
      length += piece.length;
      if (length > MOST_CHARS) throw new ApiError(0, "The answer is longer than an answer can be.");
      const lines = (rest + piece).split(LINE_END);
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (line === "" && data.length > 0) {
          yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.startsWith("data: ") ? line.slice(6) : line.slice(5));
        }
      }
      if (done) return;
    }
  } finally {
    // Whoever stops listening hangs up, and the worker stops too.
    void reader.cancel().catch(() => undefined);
  }
}

/** The conversation a ticket is for: its first half is public, and says so. */
function chatOf(ticket: string): string | null {
  try {
    const payload = ticket.split(".", 1)[0]!.replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    if (claims && typeof claims === "object" && "sid" in claims && typeof claims.sid === "string")
      return claims.sid;
  } catch {
    // Of another form than we know: the answer comes all the same.
  }
  return null;
}

async function post(url: string, body: string, signal: AbortSignal): Promise<Response> {
  // Without cookies: the ticket alone says who asks, wherever the worker lives.
  const headers = { "Content-Type": "application/json" };
  return fetch(url, { method: "POST", headers, body, signal, credentials: "omit" });
}

/**
 * The worker's answer. Where the page was opened under another name than the server knows itself by (localhost, say),
 * the browser keeps the two apart; the same worker then also answers at the page's own address.
 */
async function open(workerUrl: string, body: string, signal: AbortSignal): Promise<Response> {
  try {
    return await post(`${workerUrl}/ask`, body, signal);
  } catch (problem) {
    if (signal.aborted) throw problem;
    if (new URL(workerUrl, window.location.href).origin !== window.location.origin) {
      const near = await post("/worker/ask", body, signal).catch(() => null);
      if (near && near.status !== 404) return near;
    }
    throw new ApiError(0, "Whoever answers questions cannot be reached. Is the answer worker running?");
  }
}

/** Ask the memory: a ticket first, then the answer as it is made. Ends with the last event, or throws. */
export async function ask(asked: Question, hear: Listening, signal: AbortSignal): Promise<AnswerDone> {
  const { ticket, workerUrl } = await call("post", "/api/v2/ask", { body: asked, signal });
  const chatId = chatOf(ticket);
  if (chatId) hear.chat(chatId);
  const answer = await open(workerUrl, JSON.stringify({ ticket, question: asked.question }), signal);
  if (!answer.ok || !answer.body) throw await refusal(answer);
  try {
    for await (const data of readEvents(answer.body)) {
      const event = JSON.parse(data) as { type: "token"; content: string } | AnswerDone;
      if (event.type === "token") hear.token(event.content);
      else if (event.type === "done") return event;
    }
  } catch (problem) {
    if (signal.aborted || problem instanceof ApiError) throw problem;
  }
  throw new ApiError(0, "The answer broke off. The connection was lost, or the worker ended.");
}
