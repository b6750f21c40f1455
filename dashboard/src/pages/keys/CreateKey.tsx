import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { CodeBlock } from "~/parts/Copy";
import { CreatedKey } from "./CreatedKey";

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const create = useSend("post", "/api/keys", { invalidates: ["/api/keys"] });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate({ body: { name: name.trim() } });
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
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
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
