import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { SettingsSection } from "~/parts/SettingsSection";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { safeLink } from "~/parts/safeLink";
import { Tag } from "~/parts/Tag";
import { showSuccess } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useUpdateProject, type ProjectChange } from "./useUpdateProject";

/** The repository URL, as a link only if it is safe. */
export function RepositoryLink({ url }: { url: string }) {
  const href = safeLink(url);
  if (!href) return <Text>{url}</Text>;
  return (
    <Anchor href={href} target="_blank" rel="noopener noreferrer">
      {url}
    </Anchor>
  );
}

function Connected({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const [confirming, setConfirming] = useState(false);
  const update = useUpdateProject();
  if (!project.repoUrl) return <Text c="dimmed">No repository connected. Enter its URL to connect one.</Text>;
  const disconnect = () =>
    update.mutate(
      { disconnectRepoHost: true },
      {
        onSuccess: () => {
          setConfirming(false);
          showSuccess("Repository disconnected.");
        },
      },
    );
  return (
    <Group justify="space-between" gap="sm">
      <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <RepositoryLink url={project.repoUrl} />
        <Group gap="xs" mt={6}>
          <Tag tone="good">connected</Tag>
          <Tag>{project.hasRepoHostToken ? "with access token" : "public access"}</Tag>
        </Group>
      </div>
      {!disabled && (
        <Button
          variant="default"
          leftSection={<IconPlugConnectedX size={16} />}
          onClick={() => setConfirming(true)}
        >
          Disconnect
        </Button>
      )}
      <ConfirmDialog
        opened={confirming}
        title="Disconnect repository?"
        confirmLabel="Disconnect"
        busy={update.isPending}
        onConfirm={disconnect}
        onClose={() => setConfirming(false)}
      >
        The URL and access token are removed. Memories are kept, but scans and deep enrichment can no longer
        read the code.
      </ConfirmDialog>
    </Group>
  );
}

/** Connects the project's repository. The server never returns the access token. */
export function Repository({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const [url, setUrl] = useState(project.repoUrl ?? "");
  const [token, setToken] = useState("");
  const update = useUpdateProject({ quiet: true });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const change: ProjectChange = { repoUrl: url.trim() };
    if (token) change.repoHostToken = token;
    update.mutate(change, {
      onSuccess: () => {
        setToken("");
        showSuccess("Repository connected.");
      },
    });
  };
  const changed = url.trim() !== "" && (url.trim() !== (project.repoUrl ?? "") || token !== "");
  return (
    <SettingsSection
      title="Repository"
      about="Used by Genesis scans, deep enrichment and stale-memory checks."
    >
      <Stack key={project.repoUrl}>
        <Connected disabled={disabled} />
        {!disabled && (
          <form onSubmit={onSubmit}>
            <Stack>
              <TextInput
                label="Repository URL"
                placeholder="https://github.com/owner/repository"
                maxLength={500}
                description="The server administrator decides which hosts are allowed."
                error={update.error?.message.replace(/^repoUrl/, "The URL")}
                value={url}
                onChange={(event) => {
                  update.reset();
                  setUrl(event.currentTarget.value);
                }}
              />
              <PasswordInput
                label="Access token"
                description={
                  project.hasRepoHostToken
                    ? "An encrypted token is stored. Enter a new one to replace it. Changing the repository removes it."
                    : "Needed for private repositories. Read access is enough. Stored encrypted and never shown again."
                }
                autoComplete="off"
                maxLength={1000}
                visibilityToggleButtonProps={{ "aria-label": "Show or hide access token" }}
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
              />
              <Group>
                <Button type="submit" disabled={!changed} loading={update.isPending}>
                  {project.repoUrl ? "Save" : "Connect"}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </SettingsSection>
  );
}
