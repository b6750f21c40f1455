import { Button, Group, Modal, Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState, type FormEvent } from "react";
import { useGet, useSend } from "~/api/hooks";
import { errorText } from "~/parts/errorText";
import { showSuccess } from "~/parts/toast";

export type AssignableRole = "admin" | "member";
export const ROLE_DESCRIPTIONS: Record<"owner" | AssignableRole, string> = {
  owner: "Has full access and manages the plan. Each team has one owner.",
  admin: "Manages all projects, members and keys, and can view billing.",
  member: "Works in projects they belong to and can read projects open to the team.",
};

/** Shown instead of what the email would do. */
export const NO_EMAIL =
  "Email is not set up on this server. Ask the server administrator for the invitation link.";

/** Whether invitations are emailed; true until the server has answered. */
export const useSendsEmail = () => useGet("/api/auth/registration").data?.sendsEmail ?? true;

function Form({ onClose }: { onClose: () => void }) {
  const sendsEmail = useSendsEmail();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<AssignableRole>("member");
  const send = useSend("post", "/api/team", { quiet: true, invalidates: ["/api/team"] });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    send.mutate(
      { body: { email: email.trim(), role } },
      {
        onSuccess: (invitation) => {
          showSuccess(
            sendsEmail
              ? `Invitation sent to ${invitation.email}.`
              : `${invitation.email} invited. ${NO_EMAIL}`,
          );
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
          description={
            sendsEmail ? "They get a link by email. Invite the same address again to resend it." : NO_EMAIL
          }
          error={send.error && errorText(send.error)}
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
            Invite
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
