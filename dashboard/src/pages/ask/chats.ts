import { useInfiniteQuery, useQueryClient, type InfiniteData, type QueryClient } from "@tanstack/react-query";
import { useCallback, useState } from "react";
import { call } from "~/api/client";
import { queryKey, invalidate } from "~/api/hooks";
import type { components } from "~/api/schema";
import { doWithUndo, showError } from "~/parts/toast";

export type Chat = components["schemas"]["ChatSession"];
export type Message = components["schemas"]["ChatMessage"];
type Chats = components["schemas"]["ChatSessions"];

export const CHATS = "/api/v2/chat-sessions";
export const CHAT = "/api/v2/chat-sessions/{id}";
const PAGE_SIZE = 50;

/** A project's conversations, paginated, most recent activity first. */
export function useChats(projectId: string, favorites: boolean, search: string) {
  const query = { projectId, ...(favorites ? { favorites } : {}), ...(search ? { search } : {}) };
  return useInfiniteQuery({
    queryKey: [...queryKey(CHATS, { query }), "pages"],
    queryFn: ({ signal, pageParam }) =>
      call("get", CHATS, { query: { ...query, limit: PAGE_SIZE, offset: pageParam }, signal }),
    initialPageParam: 0,
    getNextPageParam: (last: Chats, all: Chats[]) => {
      const loaded = all.reduce((sum, page) => sum + page.sessions.length, 0);
      return last.sessions.length > 0 && loaded < last.total ? loaded : undefined;
    },
    placeholderData: (before) => before,
  });
}

export const refreshChats = (cache: QueryClient) => invalidate(cache, (address) => address.startsWith(CHATS));

function updateOptimistically(cache: QueryClient, chatId: string, change: Partial<Chat>) {
  cache.setQueriesData<InfiniteData<Chats>>(
    { predicate: ({ queryKey }) => queryKey[0] === CHATS && queryKey.at(-1) === "pages" },
    (known) =>
      known && {
        ...known,
        pages: known.pages.map((page) => ({
          ...page,
          sessions: page.sessions.map((chat) => (chat.id === chatId ? { ...chat, ...change } : chat)),
        })),
      },
  );
  cache.setQueryData<Chat>(
    queryKey(CHAT, { path: { id: chatId } }),
    (known) => known && { ...known, ...change },
  );
}

/** Conversation actions. `removing` holds the ids hidden while their archive or delete can still be undone. */
export function useChatActions() {
  const cache = useQueryClient();
  const [removing, setRemoving] = useState<ReadonlySet<string>>(new Set());

  const send = useCallback(
    async (work: Promise<unknown>) => {
      try {
        await work;
      } catch (error) {
        showError(error as Error);
      }
      await refreshChats(cache);
    },
    [cache],
  );
  const setRemoved = useCallback(
    (chatId: string, removed: boolean) =>
      setRemoving((known) => {
        const next = new Set(known);
        if (removed) next.add(chatId);
        else next.delete(chatId);
        return next;
      }),
    [],
  );
  const sendWithUndo = useCallback(
    (chat: Chat, message: string, act: (leaving: boolean) => Promise<unknown>) => {
      setRemoved(chat.id, true);
      const restore = () => setRemoved(chat.id, false);
      doWithUndo(message, (leaving) => void send(act(leaving)).finally(restore), restore);
    },
    [setRemoved, send],
  );

  const favorite = useCallback(
    (chat: Chat, userId: string) => {
      const others = chat.favoritedBy.filter((id) => id !== userId);
      const favorited = others.length === chat.favoritedBy.length;
      updateOptimistically(cache, chat.id, { favoritedBy: favorited ? [...others, userId] : others });
      return send(call("post", "/api/v2/chat-sessions/{id}/favorite", { path: { id: chat.id } }));
    },
    [cache, send],
  );
  const rename = useCallback(
    (chat: Chat, title: string) => {
      updateOptimistically(cache, chat.id, { title });
      return send(call("patch", CHAT, { path: { id: chat.id }, body: { title } }));
    },
    [cache, send],
  );
  // The server can undo neither, so both are sent only after the undo period.
  const archive = useCallback(
    (chat: Chat) =>
      sendWithUndo(chat, "Conversation archived.", (keepalive) =>
        call("patch", CHAT, { path: { id: chat.id }, body: { status: "archived" }, keepalive }),
      ),
    [sendWithUndo],
  );
  const remove = useCallback(
    (chat: Chat) =>
      sendWithUndo(chat, "Conversation deleted.", (keepalive) =>
        call("delete", CHAT, { path: { id: chat.id }, keepalive }),
      ),
    [sendWithUndo],
  );
  return { removing, favorite, rename, archive, remove };
}

export type ChatActions = ReturnType<typeof useChatActions>;
