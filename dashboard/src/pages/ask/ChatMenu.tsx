import { ActionIcon, Button, Group, Menu, Modal, TextInput } from "@mantine/core";
import { IconArchive, IconDots, IconPencil, IconStar, IconStarFilled, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useMe } from "~/shell/login";
import { useMayManage, useProject } from "~/shell/project";
import type { Chat, ChatActions } from "./chats";

const TITLE_CHARS = 256;

export function Favorite({ chat, actions }: { chat: Chat; actions: ChatActions }) {
  const me = useMe();
  const liked = chat.favoritedBy.includes(me.userId);
  if (useProject().status !== "active") return null;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-pressed={liked}
      aria-label={liked ? "No longer a favourite" : "Make it a favourite"}
      onClick={() => void actions.favorite(chat, me.userId)}
    >
      {liked ? <IconStarFilled size={18} /> : <IconStar size={18} />}
    </ActionIcon>
  );
}

function Rename({ chat, save, close }: { chat: Chat; save: (title: string) => void; close: () => void }) {
  const [title, setTitle] = useState(chat.title);
  return (
    <Modal opened onClose={close} title="Rename the conversation">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save(title.trim());
        }}
      >
        <TextInput
          label="Title"
          data-autofocus
          maxLength={TITLE_CHARS}
          value={title}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs" mt="md">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" disabled={!title.trim()}>
            Rename
          </Button>
        </Group>
      </form>
    </Modal>
  );
}

/** What its author, and whoever manages the project, may do with a conversation. */
export function ChatMenu({ chat, actions, gone }: { chat: Chat; actions: ChatActions; gone: () => void }) {
  const me = useMe();
  const active = useProject().status === "active";
  const manage = useMayManage();
  const [naming, setNaming] = useState(false);
  if (!active || (chat.userId !== me.userId && !manage)) return null;
  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`More about “${chat.title}”`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setNaming(true)}>
            Rename
          </Menu.Item>
          {chat.status === "active" && (
            <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => actions.putAside(chat)}>
              Put aside
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconTrash size={16} />}
            onClick={() => {
              actions.remove(chat);
              gone();
            }}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {naming && (
        <Rename
          chat={chat}
          close={() => setNaming(false)}
          save={(title) => {
            setNaming(false);
            void actions.rename(chat, title);
          }}
        />
      )}
    </>
  );
}
