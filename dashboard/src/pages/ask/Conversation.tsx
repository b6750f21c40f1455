import { Button, Loader, Text } from "@mantine/core";
import { IconArrowDown } from "@tabler/icons-react";
import { useEffect, useMemo, useState } from "react";
import { usePages } from "~/api/hooks";
import { Problem } from "~/parts/Page";
import classes from "./ask.module.css";
import { Answer, Answering, Question } from "./Answer";
import type { Message } from "./chats";
import { Failure } from "./Failure";
import { useBottom } from "./bottom";
import { runs, type Turn } from "./turns";

const PAGE = 100;
/** These are always laid out whole, so that the end of the page lies where it seems to. */
const LAST = 6;

/** All messages of a conversation, oldest first. */
export function useMessages(chatId: string | null) {
  const pages = usePages(
    "/api/v2/chat-sessions/{id}/messages",
    { path: { id: chatId ?? "" }, query: { limit: PAGE } },
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

/** Whether the conversation holds this window's question by now. */
export const isKept = (turn: Turn, messages: Message[]) =>
  messages.length >= turn.before + 2 && messages.at(-2)?.content === turn.question;

interface Given {
  projectId: string;
  of: ReturnType<typeof useMessages>;
  turn: Turn | undefined;
  /** Who asked, where it was somebody else. */
  by?: string;
  /** Null where one may only read. */
  ask: ((question: string) => void) | null;
  writeDown: ((question: string) => void) | null;
}

function Running({
  projectId,
  turn,
  kept,
  ask,
  writeDown,
}: Omit<Given, "of" | "by" | "turn"> & { turn: Turn; kept: boolean }) {
  const again = ask ? () => ask(turn.question) : undefined;
  return (
    <>
      {!kept && <Question text={turn.question} />}
      {!kept && runs(turn) && <Answering text={turn.text} />}
      {!kept && !runs(turn) && turn.text && (
        <Answer
          id="latest"
          projectId={projectId}
          text={turn.text}
          sources={turn.sources}
          whole={turn.state === "done"}
          askAgain={turn.state === "done" ? again : undefined}
          writeDown={writeDown ? () => writeDown(turn.question) : undefined}
        />
      )}
      {turn.state === "stopped" && (
        <div className={classes.stopped} role="note">
          <Text size="sm" c="dimmed">
            {turn.text ? "You stopped this answer." : "You stopped it before the first word."}
          </Text>
          {again && (
            <Button size="compact-sm" variant="default" onClick={again}>
              Ask again
            </Button>
          )}
        </div>
      )}
      {turn.state === "failed" && turn.problem && <Failure problem={turn.problem} retry={again} />}
    </>
  );
}

export function Conversation(given: Given) {
  const { projectId, of, turn, by, ask, writeDown } = given;
  const { messages } = of;
  const kept = turn !== undefined && isKept(turn, messages);
  const { atBottom, follow, toBottom } = useBottom();
  const [said, setSaid] = useState("");
  useEffect(() => follow(), [follow, turn?.text, turn?.state, messages.length]);
  useEffect(() => {
    if (turn?.state === "done") setSaid(`Answer: ${turn.text}`);
    else if (turn?.state === "asking") setSaid("");
  }, [turn?.state, turn?.text]);
  if (of.error && messages.length === 0 && !turn)
    return <Problem error={of.error} retry={() => void of.retry()} />;
  if (of.loading && !turn) return <Loader size="sm" aria-label="Loading" mx="auto" my="xl" display="block" />;
  return (
    <>
      <div className={classes.messages}>
        {messages.map((message, place) => {
          const far = place < messages.length - LAST ? classes.far : undefined;
          const question = place > 0 ? messages[place - 1]!.content : "";
          const last = place === messages.length - 1 && (!turn || kept);
          return (
            <div key={message.id} className={far}>
              {message.role === "user" ? (
                <Question text={message.content} by={by} />
              ) : (
                <Answer
                  id={message.id}
                  projectId={projectId}
                  text={message.content}
                  sources={message.sources}
                  model={message.model}
                  whole={!(last && turn && turn.state !== "done")}
                  askAgain={last && ask && (!turn || turn.state === "done") ? () => ask(question) : undefined}
                  writeDown={last && writeDown ? () => writeDown(question) : undefined}
                />
              )}
            </div>
          );
        })}
        {turn && !(kept && turn.state === "done") && (
          <Running projectId={projectId} turn={turn} kept={kept} ask={ask} writeDown={writeDown} />
        )}
      </div>
      <div className="said" aria-live="polite">
        {said}
      </div>
      {!atBottom && (
        <div className={classes.down}>
          <Button
            size="xs"
            radius="xl"
            variant="default"
            leftSection={<IconArrowDown size={14} />}
            onClick={toBottom}
          >
            To the end
          </Button>
        </div>
      )}
    </>
  );
}
