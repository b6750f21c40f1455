import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { Code } from "~/parts/Copy";
import { NewKeyShown } from "./NewKeyShown";

function Form({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const make = useSend("post", "/api/keys", { touches: ["/api/keys"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate({ body: { name: name.trim() } });
  };
  if (make.data)
    return (
      <Stack>
        <NewKeyShown apiKey={make.data.key} />
        <Text size="sm">This asks for it and remembers it on the machine, for all the other commands:</Text>
        <Code label="Copy the login command">{`loremark login --url ${window.location.origin}`}</Code>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            I have kept it
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Where it is used, so that you know later which one to end."
          placeholder="Claude Code on the laptop"
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
          <Button type="submit" loading={make.isPending} disabled={name.trim() === ""}>
            Make the key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function MakeKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    // A click beside it must not lose what is shown only once.
    <Modal opened={opened} onClose={onClose} title="New key" closeOnClickOutside={false}>
      <Form onClose={onClose} />
    </Modal>
  );
}
