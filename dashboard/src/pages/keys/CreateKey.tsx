import { Button, Checkbox, Group, Modal, Select, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { CodeBlock } from "~/parts/Copy";
import { useProjects } from "~/shell/project";
import { CreatedKey } from "./CreatedKey";
import { EXPIRY_CHOICES, expiryTime, SCOPES, type Scope } from "./limits";

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState<string[]>(SCOPES.map((scope) => scope.value));
  const [projectId, setProjectId] = useState<string | null>(null);
  const [days, setDays] = useState("never");
  const [addresses, setAddresses] = useState("");
  const projects = useProjects();
  const create = useSend("post", "/api/keys", { invalidates: ["/api/keys"] });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const allowed = addresses.split(/[\s,]+/).filter((address) => address !== "");
    create.mutate({
      body: {
        name: name.trim(),
        ...(scopes.length < SCOPES.length ? { scopes: scopes as Scope[] } : {}),
        ...(projectId ? { projectId } : {}),
        ...(days === "never" ? {} : { expiresAt: expiryTime(Number(days)) }),
        ...(allowed.length > 0 ? { allowedAddresses: allowed } : {}),
      },
    });
  };
  if (create.data)
    return (
      <Stack>
        <CreatedKey apiKey={create.data.key} />
        <Text size="sm">To use it with the loremark command, run this and paste the key when asked:</Text>
        <CodeBlock label="Copy login command">{`loremark login --url ${window.location.origin}`}</CodeBlock>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Done
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Name"
          description="Where you will use it, so you can recognize it later."
          placeholder="Claude Code on my laptop"
          required
          withAsterisk={false}
          maxLength={100}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Checkbox.Group
          label="Access"
          description="Agents need only the first two."
          value={scopes}
          onChange={setScopes}
        >
          <Stack gap="xs" mt="xs">
            {SCOPES.map((scope) => (
              <Checkbox key={scope.value} value={scope.value} label={scope.label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Select
          label="Project"
          data={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
          value={projectId}
          onChange={setProjectId}
          placeholder="All projects"
          clearable
          searchable
        />
        <Select
          label="Expires"
          data={EXPIRY_CHOICES}
          value={days}
          onChange={(value) => setDays(value ?? "never")}
          allowDeselect={false}
        />
        <TextInput
          label="Allowed addresses"
          description="IP addresses or networks, separated by commas. Leave empty to allow all."
          placeholder="203.0.113.7, 10.0.0.0/8"
          value={addresses}
          onChange={(event) => setAddresses(event.currentTarget.value)}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            loading={create.isPending}
            disabled={name.trim() === "" || scopes.length === 0}
          >
            Create key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function CreateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    // A click outside must not lose a key that is shown only once.
    <Modal opened={opened} onClose={onClose} title="New API key" closeOnClickOutside={false}>
      <Form onClose={onClose} />
    </Modal>
  );
}
