import { Button, CloseButton, Loader, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconSearch, IconStarFilled } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { Problem } from "~/parts/Page";
import { amount, Time } from "~/parts/Time";
import { useMe } from "~/shell/login";
import classes from "./chats.module.css";
import { ChatMenu } from "./ChatMenu";
import { useChats, type Chat, type ChatActions } from "./chats";

const LEAST_CHARS = 2;

interface Given {
  projectId: string;
  chatId: string | null;
  actions: ChatActions;
  names: Map<string, string>;
  /** Whether a new conversation can be begun. */
  open: boolean;
  /** A conversation was chosen: a drawer closes. */
  chosen: () => void;
  /** A clean page for a new one. */
  begin: () => void;
  gone: (chatId: string) => void;
}

function Row({ chat, given }: { chat: Chat; given: Given }) {
  const me = useMe();
  const here = chat.id === given.chatId;
  const by = chat.userId === me.userId ? null : (given.names.get(chat.userId) ?? "a colleague");
  return (
    <li className={`${classes.chat} ${here ? classes.chosen : ""}`}>
      <Link
        href={`/p/${given.projectId}/ask/${chat.id}`}
        className={classes.chatLink}
        aria-current={here ? "page" : undefined}
        onClick={given.chosen}
      >
        <span className={classes.chatTitle}>
          {chat.favoritedBy.includes(me.userId) && <IconStarFilled size={12} aria-label="Favourite" />}
          <span>{chat.title}</span>
        </span>
        <span className={classes.about}>
          <Time at={chat.lastMessageAt} />, {amount(chat.messageCount, "message")}
          {by && `, by ${by}`}
        </span>
      </Link>
      <ChatMenu chat={chat} actions={given.actions} gone={() => given.gone(chat.id)} />
    </li>
  );
}

function Rows({ chats, given, label }: { chats: Chat[]; given: Given; label: string }) {
  return (
    <ul className={classes.chats} aria-label={label}>
      {chats.map((chat) => (
        <Row key={chat.id} chat={chat} given={given} />
      ))}
    </ul>
  );
}

/** The conversations of the project: to find one again, to begin another. */
export function Chats(given: Given) {
  const [typed, setTyped] = useState("");
  const [which, setWhich] = useState("all");
  const [words] = useDebouncedValue(typed.trim(), 250);
  const search = words.length >= LEAST_CHARS ? words : "";
  const found = useChats(given.projectId, which === "favorites", search);
  const all = (found.data?.pages ?? [])
    .flatMap((page) => page.sessions)
    .filter((chat) => !given.actions.going.has(chat.id));
  const aside = all.filter((chat) => chat.status === "archived");
  const shown = all.filter((chat) => chat.status !== "archived");
  const nothing = () => {
    if (search) return "No title has these words.";
    if (which === "favorites") return "The star above a conversation keeps it here.";
    return "What you and others ask is kept here.";
  };
  return (
    <div className={classes.list}>
      {given.open && (
        <Button
          component={Link}
          href={`/p/${given.projectId}/ask`}
          variant="default"
          fullWidth
          leftSection={<IconPlus size={16} />}
          onClick={() => {
            given.begin();
            given.chosen();
          }}
        >
          New conversation
        </Button>
      )}
      <TextInput
        aria-label="Search by title"
        placeholder="Search by title"
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        rightSection={
          found.isFetching && search ? (
            <Loader size="xs" />
          ) : typed ? (
            <CloseButton size="sm" aria-label="Clear the search" onClick={() => setTyped("")} />
          ) : null
        }
      />
      <SegmentedControl
        role="radiogroup"
        aria-label="Which conversations"
        fullWidth
        size="xs"
        value={which}
        onChange={setWhich}
        data={[
          { value: "all", label: "All" },
          { value: "favorites", label: "Favourites" },
        ]}
      />
      {found.error && !found.data && <Problem error={found.error} retry={() => void found.refetch()} />}
      {shown.length > 0 && <Rows chats={shown} given={given} label="Conversations" />}
      {found.data && all.length === 0 && (
        <Text size="sm" c="dimmed" px="xs">
          {nothing()}
        </Text>
      )}
      {aside.length > 0 && (
        <details
          className={classes.aside}
          open={shown.length === 0 || aside.some((chat) => chat.id === given.chatId)}
        >
          <summary>Put aside ({aside.length})</summary>
          <Rows chats={aside} given={given} label="Put aside" />
        </details>
      )}
      {found.hasNextPage && (
        <Button
          variant="subtle"
          color="gray"
          size="xs"
          loading={found.isFetchingNextPage}
          onClick={() => void found.fetchNextPage()}
        >
          Show older ones
        </Button>
      )}
    </div>
  );
}
