import { useInfiniteQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { call } from "~/api/client";
import { keyOf, refresh } from "~/api/hooks";
import type { components } from "~/api/schema";
import { doLater, showProblem } from "~/parts/toast";

export type Chat = components["schemas"]["ChatSession"];
export type Message = components["schemas"]["ChatMessage"];
type Chats = components["schemas"]["ChatSessions"];

export const CHATS = "/api/v2/chat-sessions";
export const CHAT = "/api/v2/chat-sessions/{id}";
const PAGE = 50;

/** The conversations of a project, page by page, the newest activity first. */
export function useChats(projectId: string, favorites: boolean, search: string) {
  const query = { projectId, ...(favorites ? { favorites } : {}), ...(search ? { search } : {}) };
  return useInfiniteQuery({
    queryKey: [...keyOf(CHATS, { query }), "pages"],
    queryFn: ({ signal, pageParam }) =>
      call("get", CHATS, { query: { ...query, limit: PAGE, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last: Chats, all: Chats[]) => {
      const loaded = all.reduce((sum, page) => sum + page.sessions.length, 0);
      return last.sessions.length > 0 && loaded < last.total ? loaded : undefined;
    },
    placeholderData: (before) => before,
  });
}

export const renew = (cache: QueryClient) => refresh(cache, (address) => address.startsWith(CHATS));

/** Show a change before the server has said yes. */
function foresee(cache: QueryClient, chatId: string, change: Partial<Chat>) {
  cache.setQueriesData<InfiniteData<Chats>>(
    { predicate: ({ queryKey }) => queryKey[0] === CHATS && queryKey.at(-1) === "pages" },
    (known) =>
      known && {
        ...known,
        pages: known.pages.map((page) => ({
          ...page,
          sessions: page.sessions.map((one) => (one.id === chatId ? { ...one, ...change } : one)),
        })),
      },
  );
  cache.setQueryData<Chat>(
    keyOf(CHAT, { path: { id: chatId } }),
    (known) => known && { ...known, ...change },
  );
}

/** What can be done with a conversation. ``going``: those that are gone as soon as nobody takes it back. */
export function useChatActions() {
  const cache = useQueryClient();
  const [going, setGoing] = useState<ReadonlySet<string>>(new Set());

  const send = useCallback(
    async (work: Promise<unknown>) => {
      try {
        await work;
      } catch (problem) {
        showProblem(problem as Error);
      }
      await renew(cache);
    },
    [cache],
  );
  const mark = useCallback(
    (chatId: string, gone: boolean) =>
      setGoing((known) => {
        const next = new Set(known);
        if (gone) next.add(chatId);
        else next.delete(chatId);
        return next;
      }),
    [],
  );
  const later = useCallback(
    (chat: Chat, words: string, act: (leaving: boolean) => Promise<unknown>) => {
      mark(chat.id, true);
      const back = () => mark(chat.id, false);
      doLater(words, (leaving) => void send(act(leaving)).finally(back), back);
    },
    [mark, send],
  );

  const favorite = useCallback(
    (chat: Chat, userId: string) => {
      const others = chat.favoritedBy.filter((one) => one !== userId);
      const liked = others.length === chat.favoritedBy.length;
      foresee(cache, chat.id, { favoritedBy: liked ? [...others, userId] : others });
      return send(call("post", "/api/v2/chat-sessions/{id}/favorite", { path: { id: chat.id } }));
    },
    [cache, send],
  );
  const rename = useCallback(
    (chat: Chat, title: string) => {
      foresee(cache, chat.id, { title });
      return send(call("patch", CHAT, { path: { id: chat.id }, body: { title } }));
    },
    [cache, send],
  );
  // There is no way back from either on the server: it is told only when nobody has changed their mind.
  const putAside = useCallback(
    (chat: Chat) =>
      later(chat, "The conversation was put aside.", (keepalive) =>
        call("patch", CHAT, { path: { id: chat.id }, body: { status: "archived" }, keepalive }),
      ),
    [later],
  );
  const remove = useCallback(
    (chat: Chat) =>
      later(chat, "The conversation was deleted.", (keepalive) =>
        call("delete", CHAT, { path: { id: chat.id }, keepalive }),
      ),
    [later],
  );
  return { going, favorite, rename, putAside, remove };
}

export type ChatActions = ReturnType<typeof useChatActions>;
