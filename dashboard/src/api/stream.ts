import { ApiError, call, readError } from "./client";
import type { Source } from "./types";

/** The final event of an answer stream: the answer, or an error. */
export interface AnswerResult {
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

export interface AnswerHandlers {
  /** Called with the chat the answer belongs to; a new one if the question named none. */
  onChat: (chatId: string) => void;
  onToken: (text: string) => void;
}

/** Far more than any answer with all its sources. */
const MAX_CHARS = 32 * 1024 * 1024;
/** A line ends in CR, LF or CRLF; a trailing CR may be the first half of a CRLF. */
const LINE_END = /\r\n|\n|\r(?!$)/;

/**
 * Yields the data of each server-sent event. Chunks may be split anywhere, even inside a character or a line ending.
 * Comments, fields other than data, and an unterminated last event are ignored.
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
      const chunk = decoder.decode(value, { stream: !done });
      length += chunk.length;
      if (length > MAX_CHARS) throw new ApiError(0, "The answer is too long. Try a narrower question.");
      const lines = (rest + chunk).split(LINE_END);
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
    // Closes the connection, so the worker stops generating.
    void reader.cancel().catch(() => undefined);
  }
}

/** Reads the chat ID from a ticket's payload, which is readable without a key. */
function findChatId(ticket: string): string | null {
  try {
    const payload = ticket.split(".", 1)[0]!.replaceAll("-", "+").replaceAll("_", "/");
    const claims: unknown = JSON.parse(atob(payload));
    if (claims && typeof claims === "object" && "sid" in claims && typeof claims.sid === "string")
      return claims.sid;
  } catch {
    // Unknown ticket format: the answer works without the chat ID.
  }
  return null;
}

async function post(url: string, body: string, signal: AbortSignal): Promise<Response> {
  // No cookies: the ticket alone authenticates, and the worker may be on another host.
  const headers = { "Content-Type": "application/json" };
  return fetch(url, { method: "POST", headers, body, signal, credentials: "omit" });
}

/**
 * Opens the answer stream. If the page was opened under a different host name than the server's own (such as
 * localhost), the browser blocks the worker URL as cross-origin; the worker then answers at the page's origin too.
 */
async function openStream(workerUrl: string, body: string, signal: AbortSignal): Promise<Response> {
  try {
    return await post(`${workerUrl}/ask`, body, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (new URL(workerUrl, window.location.href).origin !== window.location.origin) {
      const sameOrigin = await post("/worker/ask", body, signal).catch(() => null);
      if (sameOrigin && sameOrigin.status !== 404) return sameOrigin;
    }
    throw new ApiError(0, "Can't reach the answer worker. Check that it is running, then try again.");
  }
}

/** Asks a question and streams the answer. Returns the final event, or throws. */
export async function ask(
  question: Question,
  handlers: AnswerHandlers,
  signal: AbortSignal,
): Promise<AnswerResult> {
  const { ticket, workerUrl } = await call("post", "/api/v2/ask", { body: question, signal });
  const chatId = findChatId(ticket);
  if (chatId) handlers.onChat(chatId);
  const response = await openStream(
    workerUrl,
    JSON.stringify({ ticket, question: question.question }),
    signal,
  );
  if (!response.ok || !response.body) throw await readError(response);
  try {
    for await (const data of readEvents(response.body)) {
      const event = JSON.parse(data) as { type: "token"; content: string } | AnswerResult;
      if (event.type === "token") handlers.onToken(event.content);
      else if (event.type === "done") return event;
    }
  } catch (error) {
    if (signal.aborted || error instanceof ApiError) throw error;
  }
  throw new ApiError(0, "The answer was interrupted. Try again.");
}
