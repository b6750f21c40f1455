import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { IconArchive, IconArchiveOff, IconTrash } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { useGet, useSend } from "~/api/hooks";
import { Section } from "~/pages/account/Section";
import section from "~/pages/account/section.module.css";
import { Confirm } from "~/pages/keys/Confirm";
import { amount } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useChange } from "./changing";

function Delete({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const [, go] = useLocation();
  const health = useGet("/api/v2/overview/{projectId}", { path: { projectId: project.id } });
  const [typed, setTyped] = useState("");
  const remove = useSend("delete", "/api/projects/{id}");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate(
      { path: { id: project.id } },
      {
        onSuccess: () => {
          showDone(`${project.name} is deleted.`);
          go("/");
        },
      },
    );
  };
  const items = health.data
    ? health.data.items.approved + health.data.items.draft + health.data.items.deprecated
    : 0;
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          The project goes for everybody and for good
          {health.data &&
            `: ${amount(items, "memory item")}, ${amount(health.data.sessions.total, "session")}`}
          , its contexts, chats, webhooks and signing secret. Export it first if you may want it back.
        </Text>
        <TextInput
          label={`Type its name: ${project.name}`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            color="red.8"
            disabled={typed.trim() !== project.name.trim()}
            loading={remove.isPending}
          >
            Delete for good
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Putting the project away, and getting rid of it. */
export function Ending() {
  const project = useProject();
  const archived = project.status === "archived";
  const [asking, setAsking] = useState<"archive" | "delete" | null>(null);
  const change = useChange();
  const close = () => setAsking(null);
  const set = (status: "active" | "archived", words: string) =>
    change.mutate({ status }, { onSuccess: () => showDone(words), onSettled: close });
  return (
    <Section title="End" about="Archiving can be undone. Deleting cannot." danger>
      <ul className={section.rows}>
        <li className={section.row}>
          <div>
            <Text fw={600}>{archived ? "Archived" : "Archive"}</Text>
            <Text size="sm" c="dimmed">
              {archived
                ? "It can be read and exported, and takes nothing new."
                : "It can still be read and exported, but takes nothing new."}
            </Text>
          </div>
          {archived ? (
            <Button
              variant="default"
              leftSection={<IconArchiveOff size={16} />}
              loading={change.isPending}
              onClick={() => set("active", "The project is active again.")}
            >
              Unarchive
            </Button>
          ) : (
            <Button
              variant="default"
              leftSection={<IconArchive size={16} />}
              onClick={() => setAsking("archive")}
            >
              Archive
            </Button>
          )}
        </li>
        <li className={section.row}>
          <div>
            <Text fw={600}>Delete</Text>
            <Text size="sm" c="dimmed">
              The whole memory, for everybody, for good.
            </Text>
          </div>
          <Button color="red.8" leftSection={<IconTrash size={16} />} onClick={() => setAsking("delete")}>
            Delete
          </Button>
        </li>
      </ul>
      <Confirm
        opened={asking === "archive"}
        title={`Archive ${project.name}?`}
        act="Archive"
        busy={change.isPending}
        onAct={() => set("archived", "The project is archived.")}
        onClose={close}
      >
        Agents that send to it are refused, and nobody can change anything in it. Everything stays readable,
        and you can unarchive it here at any time.
      </Confirm>
      <Modal opened={asking === "delete"} onClose={close} title={`Delete ${project.name}?`}>
        <Delete onClose={close} />
      </Modal>
    </Section>
  );
}
