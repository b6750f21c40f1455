import { Alert, Button, Drawer, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconInfoCircle, IconMessageOff, IconMessages } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import { useGet } from "~/api/hooks";
import { useShortcuts } from "~/parts/shortcuts";
import { EmptyState, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { useMe } from "~/shell/login";
import { useCanWrite, useProject } from "~/shell/project";
import classes from "./ask.module.css";
import { ChatList } from "./ChatList";
import { ChatMenu, FavoriteButton } from "./ChatMenu";
import { CHAT, useChatActions, type Chat } from "./chats";
import { Composer } from "./Composer";
import { Conversation, isStored, useMessages } from "./Conversation";
import { StartScreen } from "./StartScreen";
import { NEW_CHAT, isRunning, useTurns } from "./turns";
import { SaveMemory } from "./SaveMemory";

/** The reason the user can't ask here, or null if they can. */
function useReadOnlyReason(chat: Chat | undefined): string | null {
  const me = useMe();
  if (useProject().status !== "active")
    return "This project is archived. You can read its conversations but not ask questions.";
  if (chat && chat.userId !== me.userId)
    return "Only the author can continue this conversation. Start a new one to ask a question.";
  return null;
}

function useNames(): Map<string, string> {
  const team = useGet("/api/team");
  return useMemo(
    () =>
      new Map(
        (team.data ?? []).flatMap((member) =>
          "userId" in member ? [[member.userId, member.name] as const] : [],
        ),
      ),
    [team.data],
  );
}

/** Touch devices would pop up an on-screen keyboard if the input were focused on load. */
const HAS_KEYBOARD = "(hover: hover)";

function AskProject() {
  const me = useMe();
  const project = useProject();
  const canWrite = useCanWrite();
  const { chatId = null } = useParams<{ chatId?: string }>();
  const [location, navigate] = useLocation();
  const [drawerOpen, drawer] = useDisclosure(false);
  const [unanswered, setUnanswered] = useState<string | null>(null);
  const inputRef = useRef<HTMLTextAreaElement>(null);
  const names = useNames();
  const actions = useChatActions();
  const home = `/p/${project.id}/ask`;

  const locationRef = useRef(location);
  locationRef.current = location;
  const onChatCreated = useCallback(
    (id: string) => {
      if (locationRef.current === home) navigate(`${home}/${id}`);
    },
    [home, navigate],
  );
  const { turns, start, stop, drop } = useTurns(project.id, onChatCreated);
  const key = chatId ?? NEW_CHAT;
  const turn = turns[key];
  const chat = useGet(CHAT, { path: { id: chatId ?? "" } }, { enabled: chatId !== null });
  const messages = useMessages(chatId);
  const missing = chat.error?.status === 404 || (chat.data && chat.data.projectId !== project.id);
  const readOnly = useReadOnlyReason(chat.data);
  const busy = isRunning(turn);

  // Once the server has stored the turn, show the stored messages instead.
  const stored = turn?.state === "done" && isStored(turn, messages.messages);
  useEffect(() => {
    if (stored) drop(key);
  }, [stored, drop, key]);
  useEffect(() => {
    if (window.matchMedia(HAS_KEYBOARD).matches) inputRef.current?.focus({ preventScroll: true });
  }, [chatId]);
  useShortcuts({ Escape: () => stop(key) }, busy);

  const ask = readOnly ? null : (question: string) => void start(chatId, question, messages.messages.length);
  const onRemove = (id: string) => {
    if (id === chatId) navigate(home);
  };
  const list = (
    <ChatList
      projectId={project.id}
      chatId={chatId}
      actions={actions}
      names={names}
      canCreate={project.status === "active"}
      onSelect={drawer.close}
      onCreate={() => {
        stop(NEW_CHAT);
        drop(NEW_CHAT);
      }}
      onRemove={onRemove}
    />
  );
  const isNew = chatId === null && !turn;
  const by =
    chat.data && chat.data.userId !== me.userId ? (names.get(chat.data.userId) ?? "A teammate") : undefined;
  return (
    <Page
      title="Ask"
      wide
      about={isNew ? "Ask a question and get an answer with sources." : undefined}
      actions={
        <Button
          variant="default"
          leftSection={<IconMessages size={16} />}
          onClick={drawer.open}
          hiddenFrom="md"
        >
          Conversations
        </Button>
      }
    >
      <div className={classes.columns}>
        <nav className={classes.side} aria-label="Conversations">
          {list}
        </nav>
        <Drawer opened={drawerOpen} onClose={drawer.close} title="Conversations" hiddenFrom="md" size="20rem">
          {list}
        </Drawer>
        <section className={classes.main} aria-label="Conversation">
          {chat.data && !missing && (
            <header className={classes.head}>
              <Title order={2} className={classes.title}>
                {chat.data.title}
              </Title>
              {chat.data.status === "archived" && <Tag>archived</Tag>}
              <FavoriteButton chat={chat.data} actions={actions} />
              <ChatMenu chat={chat.data} actions={actions} onRemove={() => onRemove(chat.data.id)} />
            </header>
          )}
          <div className={classes.body}>
            {missing ? (
              <EmptyState icon={<IconMessageOff size={40} />} title="Conversation not found">
                It was deleted or belongs to another project. Choose another conversation or start a new one.
              </EmptyState>
            ) : isNew && ask ? (
              <StartScreen projectId={project.id} ask={ask} />
            ) : (
              <Conversation
                key={key}
                projectId={project.id}
                history={messages}
                turn={turn}
                by={by}
                ask={ask}
                saveMemory={canWrite ? setUnanswered : null}
              />
            )}
          </div>
          {ask && !missing && (
            <Composer inputRef={inputRef} busy={busy} isFollowUp={!isNew} send={ask} stop={() => stop(key)} />
          )}
          {readOnly && (
            <Alert variant="outline" color="gray" icon={<IconInfoCircle />} mt="md" role="note">
              <Text size="sm">{readOnly}</Text>
            </Alert>
          )}
        </section>
      </div>
      <SaveMemory projectId={project.id} question={unanswered} close={() => setUnanswered(null)} />
    </Page>
  );
}

export default function Ask() {
  return <AskProject key={useProject().id} />;
}
