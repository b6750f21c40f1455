import { Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useSend } from "~/api/hooks";
import { showSuccess } from "~/parts/toast";

export type AssignableRole = "admin" | "member";
export const ROLE_DESCRIPTIONS: Record<"owner" | AssignableRole, string> = {
  owner: "Has full access and manages the plan. Each team has one owner.",
  admin: "Manages all projects, members and keys, and can view billing.",
  member: "Works in projects they belong to and can read projects open to the team.",
};

function Form({ onClose }: { onClose: () => void }) {
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<AssignableRole>("member");
  const send = useSend("post", "/api/team", { quiet: true, invalidates: ["/api/team"] });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(
      { body: { email: email.trim(), role } },
      {
        onSuccess: (invitation) => {
          showSuccess(`Invitation sent to ${invitation.email}.`);
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={onSubmit}>
      <Stack>
        <TextInput
          label="Email"
          type="email"
          required
          withAsterisk={false}
          data-autofocus
          maxLength={254}
          description="We'll email them a link. Invite the same address again to resend it."
          error={send.error?.message}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Radio.Group label="Role" value={role} onChange={(value) => setRole(value as AssignableRole)}>
          <Stack gap="xs" mt={6}>
            <Radio value="member" label="Member" description={ROLE_DESCRIPTIONS.member} />
            <Radio value="admin" label="Admin" description={ROLE_DESCRIPTIONS.admin} />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          To give someone access to a single project, invite them in that project's settings.
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Send invitation
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export function InviteDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Modal opened={opened} onClose={onClose} title="Invite a team member">
      <Form onClose={onClose} />
    </Modal>
  );
}
