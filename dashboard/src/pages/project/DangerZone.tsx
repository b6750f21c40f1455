import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { IconArchive, IconArchiveOff, IconTrash } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { useLocation } from "wouter";
import { useGet, useSend } from "~/api/hooks";
import { SettingsSection } from "~/parts/SettingsSection";
import section from "~/parts/settingsSection.module.css";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { pluralize } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useUpdateProject } from "./useUpdateProject";

function DeleteForm({ onClose }: { onClose: () => void }) {
  const project = useProject();
  const [, go] = useLocation();
  const overview = useGet("/api/v2/overview/{projectId}", { path: { projectId: project.id } });
  const [typed, setTyped] = useState("");
  const remove = useSend("delete", "/api/projects/{id}");
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    remove.mutate(
      { path: { id: project.id } },
      {
        onSuccess: () => {
          showSuccess(`${project.name} deleted.`);
          go("/");
        },
      },
    );
  };
  const items = overview.data
    ? overview.data.items.approved + overview.data.items.draft + overview.data.items.deprecated
    : 0;
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <Text size="sm">
          This permanently deletes the project for everyone. It deletes{" "}
          {overview.data
            ? `${pluralize(items, "memory", "memories")}, ${pluralize(overview.data.sessions.total, "session")}, and all`
            : "all memories, sessions,"}{" "}
          contexts, conversations, webhooks and the signing secret. To keep a copy of its memory, export it
          first.
        </Text>
        <TextInput
          label={`Type ${project.name} to confirm`}
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
            Delete project
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Archives or deletes the project. */
export function DangerZone() {
  const project = useProject();
  const archived = project.status === "archived";
  const [confirming, setConfirming] = useState<"archive" | "delete" | null>(null);
  const update = useUpdateProject();
  const close = () => setConfirming(null);
  const setStatus = (status: "active" | "archived", message: string) =>
    update.mutate({ status }, { onSuccess: () => showSuccess(message), onSettled: close });
  return (
    <SettingsSection title="Danger zone" about="Archiving can be undone. Deleting can't." danger>
      <ul className={section.rows}>
        <li className={section.row}>
          <div>
            <Text fw={600}>{archived ? "Archived" : "Archive"}</Text>
            <Text size="sm" c="dimmed">
              {archived
                ? "The project is read-only. It can still be exported."
                : "Makes the project read-only. It can still be exported."}
            </Text>
          </div>
          {archived ? (
            <Button
              variant="default"
              leftSection={<IconArchiveOff size={16} />}
              loading={update.isPending}
              onClick={() => setStatus("active", "Project unarchived.")}
            >
              Unarchive
            </Button>
          ) : (
            <Button
              variant="default"
              leftSection={<IconArchive size={16} />}
              onClick={() => setConfirming("archive")}
            >
              Archive
            </Button>
          )}
        </li>
        <li className={section.row}>
          <div>
            <Text fw={600}>Delete</Text>
            <Text size="sm" c="dimmed">
              Permanently deletes the project and its memory for everyone.
            </Text>
          </div>
          <Button color="red.8" leftSection={<IconTrash size={16} />} onClick={() => setConfirming("delete")}>
            Delete
          </Button>
        </li>
      </ul>
      <ConfirmDialog
        opened={confirming === "archive"}
        title={`Archive ${project.name}?`}
        confirmLabel="Archive"
        busy={update.isPending}
        onConfirm={() => setStatus("archived", "Project archived.")}
        onClose={close}
      >
        The project becomes read-only and stops accepting events from agents. You can unarchive it here any
        time.
      </ConfirmDialog>
      <Modal opened={confirming === "delete"} onClose={close} title={`Delete ${project.name}?`}>
        <DeleteForm onClose={close} />
      </Modal>
    </SettingsSection>
  );
}
