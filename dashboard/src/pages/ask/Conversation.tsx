import { Button, Loader, Text } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { useGetPages } from "~/api/hooks";
import { ErrorAlert } from "~/parts/Page";
import classes from "./ask.module.css";
import { Answer, StreamingAnswer, Question } from "./Answer";
import type { Message } from "./chats";
import { AnswerError } from "./AnswerError";
import { useStickToBottom } from "./stickToBottom";
import { isRunning, type Turn } from "./turns";

const PAGE_SIZE = 100;
/** The last few messages skip `content-visibility`, so the page height near the bottom is exact. */
const ALWAYS_RENDERED = 6;

/** All messages of a conversation, oldest first. */
export function useMessages(chatId: string | null) {
  const pages = useGetPages(
    "/api/v2/chat-sessions/{id}/messages",
    { path: { id: chatId ?? "" }, query: { limit: PAGE_SIZE } },
    { enabled: chatId !== null },
  );
  const { hasNextPage, isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const messages = useMemo(
    () => (pages.data?.pages ?? []).flatMap((page) => page.data.messages),
    [pages.data],
  );
  return { messages, error: pages.error, loading: chatId !== null && pages.isPending, retry: pages.refetch };
}

/** Whether the server has stored this turn's question and answer. */
export const isStored = (turn: Turn, messages: Message[]) =>
  messages.length >= turn.messagesBefore + 2 && messages.at(-2)?.content === turn.question;

interface Props {
  projectId: string;
  history: ReturnType<typeof useMessages>;
  turn: Turn | undefined;
  /** Name of the asker, if it is another user. */
  by?: string;
  /** Null if the conversation is read-only. */
  ask: ((question: string) => void) | null;
  saveMemory: ((question: string) => void) | null;
}

function CurrentTurn({
  projectId,
  turn,
  stored,
  ask,
  saveMemory,
}: Omit<Props, "history" | "by" | "turn"> & { turn: Turn; stored: boolean }) {
  const retry = ask ? () => ask(turn.question) : undefined;
  return (
    <>
      {!stored && <Question text={turn.question} />}
      {!stored && isRunning(turn) && <StreamingAnswer text={turn.text} />}
      {!stored && !isRunning(turn) && turn.text && (
        <Answer
          id="latest"
          projectId={projectId}
          text={turn.text}
          sources={turn.sources}
          complete={turn.state === "done"}
          askAgain={turn.state === "done" ? retry : undefined}
          saveMemory={saveMemory ? () => saveMemory(turn.question) : undefined}
        />
      )}
      {turn.state === "stopped" && (
        <div className={classes.stopped} role="note">
          <Text size="sm" c="dimmed">
            {turn.text ? "You stopped this answer." : "You stopped before the answer started."}
          </Text>
          {retry && (
            <Button size="compact-sm" variant="default" onClick={retry}>
              Ask again
            </Button>
          )}
        </div>
      )}
      {turn.state === "failed" && turn.error && <AnswerError error={turn.error} retry={retry} />}
    </>
  );
}

export function Conversation(props: Props) {
  const { projectId, history, turn, by, ask, saveMemory } = props;
  const { messages } = history;
  const stored = turn !== undefined && isStored(turn, messages);
  const { atBottom, follow, scrollToBottom } = useStickToBottom();
  const [announcement, setAnnouncement] = useState("");
  useEffect(() => follow(), [follow, turn?.text, turn?.state, messages.length]);
  useEffect(() => {
    if (turn?.state === "done") setAnnouncement(`Answer: ${turn.text}`);
    else if (turn?.state === "asking") setAnnouncement("");
  }, [turn?.state, turn?.text]);
  if (history.error && messages.length === 0 && !turn)
    return <ErrorAlert error={history.error} retry={() => void history.retry()} />;
  if (history.loading && !turn)
    return <Loader size="sm" role="status" aria-label="Loading" mx="auto" my="xl" display="block" />;
  return (
    <>
      <div className={classes.messages}>
        {messages.map((message, index) => {
          const className = index < messages.length - ALWAYS_RENDERED ? classes.offscreen : undefined;
          const question = index > 0 ? messages[index - 1]!.content : "";
          const last = index === messages.length - 1 && (!turn || stored);
          return (
            <div key={message.id} className={className}>
              {message.role === "user" ? (
                <Question text={message.content} by={by} />
              ) : (
                <Answer
                  id={message.id}
                  projectId={projectId}
                  text={message.content}
                  sources={message.sources}
                  model={message.model}
                  complete={!(last && turn && turn.state !== "done")}
                  askAgain={last && ask && (!turn || turn.state === "done") ? () => ask(question) : undefined}
                  saveMemory={last && saveMemory ? () => saveMemory(question) : undefined}
                />
              )}
            </div>
          );
        })}
        {turn && !(stored && turn.state === "done") && (
          <CurrentTurn projectId={projectId} turn={turn} stored={stored} ask={ask} saveMemory={saveMemory} />
        )}
      </div>
      <div className="visually-hidden" aria-live="polite">
        {announcement}
      </div>
      {!atBottom && (
        <div className={classes.jump}>
          <Button
            size="xs"
            radius="xl"
            variant="default"
            leftSection={<IconArrowDown size={14} />}
            onClick={scrollToBottom}
          >
            Jump to latest
          </Button>
        </div>
      )}
    </>
  );
}
