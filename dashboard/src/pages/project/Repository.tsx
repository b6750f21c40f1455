import { Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import { Section } from "~/pages/account/Section";
import { Confirm } from "~/pages/keys/Confirm";
import { safeLink } from "~/parts/link";
import { Tag } from "~/parts/Tag";
import { showDone } from "~/parts/toast";
import { useProject } from "~/shell/project";
import { useChange, type Change } from "./changing";

/** Where it is; a link only if it can be nothing but one. */
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
  const [asking, setAsking] = useState(false);
  const change = useChange();
  if (!project.repoUrl) return <Text c="dimmed">No repository is connected.</Text>;
  const disconnect = () =>
    change.mutate(
      { disconnectRepoHost: true },
      {
        onSuccess: () => {
          setAsking(false);
          showDone("The repository is disconnected.");
        },
      },
    );
  return (
    <Group justify="space-between" gap="sm">
      <div style={{ minWidth: 0, overflowWrap: "anywhere" }}>
        <RepositoryLink url={project.repoUrl} />
        <Group gap="xs" mt={6}>
          <Tag tone="good">connected</Tag>
          <Tag>{project.hasRepoHostToken ? "with a token" : "read as the public"}</Tag>
        </Group>
      </div>
      {!disabled && (
        <Button
          variant="default"
          leftSection={<IconPlugConnectedX size={16} />}
          onClick={() => setAsking(true)}
        >
          Disconnect
        </Button>
      )}
      <Confirm
        opened={asking}
        title="Disconnect the repository?"
        act="Disconnect"
        busy={change.isPending}
        onAct={disconnect}
        onClose={() => setAsking(false)}
      >
        The address and the token are forgotten. The memory stays; scans and deep enrichment no longer read
        the code.
      </Confirm>
    </Group>
  );
}

/** The repository the project is about; its token goes in and never comes out again. */
export function Repository({ disabled }: { disabled: boolean }) {
  const project = useProject();
  const [url, setUrl] = useState(project.repoUrl ?? "");
  const [token, setToken] = useState("");
  const change = useChange({ quiet: true });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted: Change = { repoUrl: url.trim() };
    if (token) wanted.repoHostToken = token;
    change.mutate(wanted, {
      onSuccess: () => {
        setToken("");
        showDone("The repository is connected.");
      },
    });
  };
  const fresh = url.trim() !== "" && (url.trim() !== (project.repoUrl ?? "") || token !== "");
  return (
    <Section
      title="Repository"
      about="Genesis scans it, deep enrichment looks things up in it, and the memory is checked against it."
    >
      <Stack key={project.repoUrl}>
        <Connected disabled={disabled} />
        {!disabled && (
          <form onSubmit={submit}>
            <Stack>
              <TextInput
                label="Address"
                placeholder="https://github.com/owner/repository"
                maxLength={500}
                description="Which hosts may be named is set by whoever runs the server."
                error={change.error?.message}
                value={url}
                onChange={(event) => {
                  change.reset();
                  setUrl(event.currentTarget.value);
                }}
              />
              <PasswordInput
                label="Access token"
                description={
                  project.hasRepoHostToken
                    ? "One is kept, encrypted, and never shown. A new one replaces it. It never follows to another host."
                    : "Only for a private repository; one that may read is enough. It is kept encrypted and never shown again."
                }
                autoComplete="off"
                maxLength={1000}
                visibilityToggleButtonProps={{ "aria-label": "Show or hide the access token" }}
                value={token}
                onChange={(event) => setToken(event.currentTarget.value)}
              />
              <Group>
                <Button type="submit" disabled={!fresh} loading={change.isPending}>
                  {project.repoUrl ? "Save the repository" : "Connect"}
                </Button>
              </Group>
            </Stack>
          </form>
        )}
      </Stack>
    </Section>
  );
}
