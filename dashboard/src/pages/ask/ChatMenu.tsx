import { ActionIcon, Button, Group, Menu, Modal, TextInput } from "@mantine/core";
import { IconArchive, IconDots, IconPencil, IconStar, IconStarFilled, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useMe } from "~/shell/login";
import { useCanManage, useProject } from "~/shell/project";
import type { Chat, ChatActions } from "./chats";

const MAX_TITLE_CHARS = 256;

export function FavoriteButton({ chat, actions }: { chat: Chat; actions: ChatActions }) {
  const me = useMe();
  const favorited = chat.favoritedBy.includes(me.userId);
  if (useProject().status !== "active") return null;
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={36}
      aria-pressed={favorited}
      aria-label={favorited ? "Remove from favorites" : "Add to favorites"}
      onClick={() => void actions.favorite(chat, me.userId)}
    >
      {favorited ? <IconStarFilled size={18} /> : <IconStar size={18} />}
    </ActionIcon>
  );
}

function RenameDialog({
  chat,
  save,
  close,
}: {
  chat: Chat;
  save: (title: string) => void;
  close: () => void;
}) {
  const [title, setTitle] = useState(chat.title);
  return (
    <Modal opened onClose={close} title="Rename conversation">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save(title.trim());
        }}
      >
        <TextInput
          label="Title"
          data-autofocus
          maxLength={MAX_TITLE_CHARS}
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

/** Actions for the conversation's author and for project managers. */
export function ChatMenu({
  chat,
  actions,
  onRemove,
}: {
  chat: Chat;
  actions: ChatActions;
  onRemove: () => void;
}) {
  const me = useMe();
  const active = useProject().status === "active";
  const canManage = useCanManage();
  const [renaming, setRenaming] = useState(false);
  if (!active || (chat.userId !== me.userId && !canManage)) return null;
  return (
    <>
      <Menu position="bottom-end" width={190}>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" size={36} aria-label={`Actions for “${chat.title}”`}>
            <IconDots size={18} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => setRenaming(true)}>
            Rename
          </Menu.Item>
          {chat.status === "active" && (
            <Menu.Item leftSection={<IconArchive size={16} />} onClick={() => actions.archive(chat)}>
              Archive
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconTrash size={16} />}
            onClick={() => {
              actions.remove(chat);
              onRemove();
            }}
          >
            Delete
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {renaming && (
        <RenameDialog
          chat={chat}
          close={() => setRenaming(false)}
          save={(title) => {
            setRenaming(false);
            void actions.rename(chat, title);
          }}
        />
      )}
    </>
  );
}
