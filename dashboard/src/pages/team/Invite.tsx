import { Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { showDone } from "~/parts/toast";

export type GivenRole = "admin" | "member";
export const ROLES: Record<"owner" | GivenRole, string> = {
  owner: "Does everything, and alone decides on the plan. There is one.",
  admin: "Sees and manages all projects, people, keys and the billing's figures.",
  member: "Works in the projects they are added to, and reads those open to the team.",
};

function Form({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<GivenRole>("member");
  const send = useSend("post", "/api/team", { quiet: true, touches: ["/api/team"] });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(
      { body: { email: email.trim(), role } },
      {
        onSuccess: (made) => {
          showDone(`The invitation to ${made.email} is on its way.`);
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="E-mail"
          type="email"
          required
          withAsterisk={false}
          data-autofocus
          maxLength={254}
          description="A mail with a link goes there. Inviting the same address again sends a new one."
          error={send.error?.message}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Radio.Group label="Role" value={role} onChange={(chosen) => setRole(chosen as GivenRole)}>
          <Stack gap="xs" mt={6}>
            <Radio value="member" label="Member" description={ROLES.member} />
            <Radio value="admin" label="Admin" description={ROLES.admin} />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          To let somebody into one project only, invite them in that project's settings.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Send the invitation
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function Invite({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite to the team">
      <Form onClose={onClose} />
    </Modal>
  );
}
