import { Button, CloseButton, Loader, SegmentedControl, Text, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconPlus, IconSearch, IconStarFilled } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "wouter";
import { ErrorAlert } from "~/parts/Page";
import { pluralize, RelativeTime } from "~/parts/format";
import { useMe } from "~/shell/login";
import classes from "./chatList.module.css";
import { ChatMenu } from "./ChatMenu";
import { useChats, type Chat, type ChatActions } from "./chats";

const MIN_SEARCH_CHARS = 2;

interface Props {
  projectId: string;
  chatId: string | null;
  actions: ChatActions;
  names: Map<string, string>;
  /** Whether to show the "New conversation" button. */
  canCreate: boolean;
  /** Called when a conversation is opened, e.g. to close the drawer. */
  onSelect: () => void;
  onCreate: () => void;
  onRemove: (chatId: string) => void;
}

function Row({ chat, props }: { chat: Chat; props: Props }) {
  const me = useMe();
  const current = chat.id === props.chatId;
  const by = chat.userId === me.userId ? null : (props.names.get(chat.userId) ?? "a teammate");
  return (
    <li className={`${classes.chat} ${current ? classes.current : ""}`}>
      <Link
        href={`/p/${props.projectId}/ask/${chat.id}`}
        className={classes.chatLink}
        aria-current={current ? "page" : undefined}
        onClick={props.onSelect}
      >
        <span className={classes.chatTitle}>
          {chat.favoritedBy.includes(me.userId) && <IconStarFilled size={12} aria-label="Favorite" />}
          <span>{chat.title}</span>
        </span>
        <span className={classes.about}>
          <RelativeTime at={chat.lastMessageAt} />, {pluralize(chat.messageCount, "message")}
          {by && `, by ${by}`}
        </span>
      </Link>
      <ChatMenu chat={chat} actions={props.actions} onRemove={() => props.onRemove(chat.id)} />
    </li>
  );
}

function Rows({ chats, props, label }: { chats: Chat[]; props: Props; label: string }) {
  return (
    <ul className={classes.chats} aria-label={label}>
      {chats.map((chat) => (
        <Row key={chat.id} chat={chat} props={props} />
      ))}
    </ul>
  );
}

/** The project's conversations, with search and a favorites filter. */
export function ChatList(props: Props) {
  const [typed, setTyped] = useState("");
  const [filter, setFilter] = useState("all");
  const [debounced] = useDebouncedValue(typed.trim(), 250);
  const search = debounced.length >= MIN_SEARCH_CHARS ? debounced : "";
  const found = useChats(props.projectId, filter === "favorites", search);
  const all = (found.data?.pages ?? [])
    .flatMap((page) => page.sessions)
    .filter((chat) => !props.actions.removing.has(chat.id));
  const archived = all.filter((chat) => chat.status === "archived");
  const active = all.filter((chat) => chat.status !== "archived");
  const emptyText = () => {
    if (search) return "No conversations match your search.";
    if (filter === "favorites") return "Star a conversation to add it to your favorites.";
    return "Your team's conversations appear here.";
  };
  return (
    <div className={classes.list}>
      {props.canCreate && (
        <Button
          component={Link}
          href={`/p/${props.projectId}/ask`}
          variant="default"
          fullWidth
          leftSection={<IconPlus size={16} />}
          onClick={() => {
            props.onCreate();
            props.onSelect();
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
            <CloseButton size="sm" aria-label="Clear search" onClick={() => setTyped("")} />
          ) : null
        }
      />
      <SegmentedControl
        role="radiogroup"
        aria-label="Filter conversations"
        fullWidth
        size="xs"
        value={filter}
        onChange={setFilter}
        data={[
          { value: "all", label: "All" },
          { value: "favorites", label: "Favorites" },
        ]}
      />
      {found.error && !found.data && <ErrorAlert error={found.error} retry={() => void found.refetch()} />}
      {active.length > 0 && <Rows chats={active} props={props} label="Conversations" />}
      {found.data && all.length === 0 && (
        <Text size="sm" c="dimmed" px="xs">
          {emptyText()}
        </Text>
      )}
      {archived.length > 0 && (
        <details
          className={classes.archived}
          open={active.length === 0 || archived.some((chat) => chat.id === props.chatId)}
        >
          <summary>Archived ({archived.length})</summary>
          <Rows chats={archived} props={props} label="Archived" />
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
          Show older
        </Button>
      )}
    </div>
  );
}
