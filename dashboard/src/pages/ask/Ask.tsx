import { Alert, Button, Drawer, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconInfoCircle, IconMessageOff, IconMessages } from "@tabler/icons-react";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useLocation, useParams } from "wouter";
import { useGet } from "~/api/hooks";
import { useKeys } from "~/parts/keys";
import { Empty, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { useMe } from "~/shell/login";
import { useMayWrite, useProject } from "~/shell/project";
import classes from "./ask.module.css";
import { Chats } from "./Chats";
import { ChatMenu, Favorite } from "./ChatMenu";
import { CHAT, useChatActions, type Chat } from "./chats";
import { Composer } from "./Composer";
import { Conversation, isKept, useMessages } from "./Conversation";
import { Start } from "./Start";
import { NEW, runs, useTurns } from "./turns";
import { WriteDown } from "./WriteDown";

/** Why one may only read here; null for whoever may ask. */
function useReadOnly(chat: Chat | undefined): string | null {
  const me = useMe();
  if (useProject().status !== "active")
    return "This project is archived. Its conversations can be read, and nothing can be asked.";
  if (chat && chat.userId !== me.userId)
    return "Only its author goes on with a conversation. Begin one of your own to ask more.";
  return null;
}

function useNames(): Map<string, string> {
  const team = useGet("/api/team");
  return useMemo(
    () =>
      new Map((team.data ?? []).flatMap((one) => ("userId" in one ? [[one.userId, one.name] as const] : []))),
    [team.data],
  );
}

/** Where a finger types, a keyboard that comes up by itself is in the way. */
const TYPES = "(hover: hover)";

function AskProject() {
  const me = useMe();
  const project = useProject();
  const mayWrite = useMayWrite();
  const { chatId = null } = useParams<{ chatId?: string }>();
  const [location, go] = useLocation();
  const [drawer, sheet] = useDisclosure(false);
  const [unknown, setUnknown] = useState<string | null>(null);
  const place = useRef<HTMLTextAreaElement>(null);
  const names = useNames();
  const actions = useChatActions();
  const home = `/p/${project.id}/ask`;

  const here = useRef(location);
  here.current = location;
  const began = useCallback(
    (id: string) => {
      if (here.current === home) go(`${home}/${id}`);
    },
    [home, go],
  );
  const { turns, begin, stop, drop } = useTurns(project.id, began);
  const key = chatId ?? NEW;
  const turn = turns[key];
  const chat = useGet(CHAT, { path: { id: chatId ?? "" } }, { enabled: chatId !== null });
  const messages = useMessages(chatId);
  const missing = chat.error?.status === 404 || (chat.data && chat.data.projectId !== project.id);
  const readOnly = useReadOnly(chat.data);
  const busy = runs(turn);

  // What the conversation holds is shown from there.
  const over = turn?.state === "done" && isKept(turn, messages.messages);
  useEffect(() => {
    if (over) drop(key);
  }, [over, drop, key]);
  useEffect(() => {
    if (window.matchMedia(TYPES).matches) place.current?.focus({ preventScroll: true });
  }, [chatId]);
  useKeys({ Escape: () => stop(key) }, busy);

  const ask = readOnly ? null : (question: string) => void begin(chatId, question, messages.messages.length);
  const gone = (id: string) => {
    if (id === chatId) go(home);
  };
  const list = (
    <Chats
      projectId={project.id}
      chatId={chatId}
      actions={actions}
      names={names}
      open={project.status === "active"}
      chosen={sheet.close}
      begin={() => {
        stop(NEW);
        drop(NEW);
      }}
      gone={gone}
    />
  );
  const fresh = chatId === null && !turn;
  const by =
    chat.data && chat.data.userId !== me.userId ? (names.get(chat.data.userId) ?? "A colleague") : undefined;
  return (
    <Page
      title="Ask"
      wide
      about={fresh ? "Answers from this project's memory, with what they rest on." : undefined}
      actions={
        <Button
          variant="default"
          leftSection={<IconMessages size={16} />}
          onClick={sheet.open}
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
        <Drawer opened={drawer} onClose={sheet.close} title="Conversations" hiddenFrom="md" size="20rem">
          {list}
        </Drawer>
        <section className={classes.main} aria-label="Conversation">
          {chat.data && !missing && (
            <header className={classes.head}>
              <Title order={2} className={classes.title}>
                {chat.data.title}
              </Title>
              {chat.data.status === "archived" && <Tag>put aside</Tag>}
              <Favorite chat={chat.data} actions={actions} />
              <ChatMenu chat={chat.data} actions={actions} gone={() => gone(chat.data.id)} />
            </header>
          )}
          <div className={classes.body}>
            {missing ? (
              <Empty icon={<IconMessageOff size={40} />} title="There is no such conversation">
                It was deleted, or belongs to another project.
              </Empty>
            ) : fresh && ask ? (
              <Start projectId={project.id} ask={ask} />
            ) : (
              <Conversation
                key={key}
                projectId={project.id}
                of={messages}
                turn={turn}
                by={by}
                ask={ask}
                writeDown={mayWrite ? setUnknown : null}
              />
            )}
          </div>
          {ask && !missing && (
            <Composer place={place} busy={busy} follows={!fresh} send={ask} stop={() => stop(key)} />
          )}
          {readOnly && (
            <Alert variant="outline" color="gray" icon={<IconInfoCircle />} mt="md" role="note">
              <Text size="sm">{readOnly}</Text>
            </Alert>
          )}
        </section>
      </div>
      <WriteDown projectId={project.id} question={unknown} close={() => setUnknown(null)} />
    </Page>
  );
}

export default function Ask() {
  return <AskProject key={useProject().id} />;
}
