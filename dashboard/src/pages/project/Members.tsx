import { ActionIcon, Autocomplete, Button, Group, Select, Stack, Text, Tooltip } from "@mantine/core";
import { IconUserMinus } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import type { ResponseBody } from "~/api/client";
import { useGet, useSend } from "~/api/hooks";
import { SettingsSection } from "~/parts/SettingsSection";
import section from "~/parts/settingsSection.module.css";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { errorText } from "~/parts/errorText";
import { Loaded } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { showSuccess } from "~/parts/toast";
import { canManageTeam, useMe } from "~/shell/login";
import { useProject } from "~/shell/project";
import { NO_EMAIL, useSendsEmail } from "../team/Invite";

type Member = ResponseBody<"/api/projects/{id}/members", "get">[number];
const INVALIDATED = ["/api/projects", "/api/team"];

/** What happens when a member is removed; nothing if they are a team admin, who keep their access. */
function describeRemoval(role: Member["role"], visibility: "private" | "public"): string {
  const access =
    visibility === "public"
      ? "they can still read the project like everyone on the team, but no longer write to it"
      : "they lose access to the project";
  const secrets =
    role === "member"
      ? ""
      : ", webhooks they set up are disabled, and the signing secret is replaced; tools that sign events need the new one";
  return `Unless they are a team admin, ${access}${secrets}. Memories they added are kept.`;
}

function AddMember({ members }: { members: Member[] }) {
  const me = useMe();
  const { id } = useProject();
  const team = useGet("/api/team");
  const sendsEmail = useSendsEmail();
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"admin" | "member">("member");
  const add = useSend("post", "/api/projects/{id}/members", { invalidates: INVALIDATED, quiet: true });
  const memberEmails = new Set(members.map((member) => member.email));
  const suggestions = (team.data ?? [])
    .map((entry) => entry.email)
    .filter((address) => !memberEmails.has(address));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { path: { id }, body: { email: email.trim(), role } },
      {
        onSuccess: (added) => {
          setEmail("");
          if (!("status" in added)) showSuccess(`${added.name} added to the project.`);
          else if (sendsEmail) showSuccess(`Invitation sent to ${added.email}.`);
          else showSuccess(`${added.email} invited. ${NO_EMAIL}`);
        },
      },
    );
  };
  return (
    <form onSubmit={onSubmit}>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label="Add by email"
          type="email"
          flex="1 1 14rem"
          required
          withAsterisk={false}
          data={suggestions}
          limit={8}
          value={email}
          onChange={setEmail}
        />
        <Select
          label="Role"
          w={120}
          data={[
            { value: "member", label: "Member" },
            { value: "admin", label: "Admin" },
          ]}
          value={role}
          allowDeselect={false}
          onChange={(value) => setRole(value === "admin" ? "admin" : "member")}
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={email.trim() === ""}>
          Add
        </Button>
      </Group>
      {add.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
          {add.error.status === 403
            ? "Only team admins can invite people who are not on the team yet. Ask one to invite them."
            : errorText(add.error)}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={6}>
        {canManageTeam(me)
          ? `People outside the team are invited to both the team and this project. ${sendsEmail ? "They get a link by email." : NO_EMAIL}`
          : "You can add team members. To add anyone else, ask a team admin to invite them."}
      </Text>
    </form>
  );
}

function MemberList({ members, disabled }: { members: Member[]; disabled: boolean }) {
  const project = useProject();
  const [removing, setRemoving] = useState<Member | null>(null);
  const remove = useSend("delete", "/api/projects/{id}/members", { invalidates: INVALIDATED });
  const owners = members.filter((member) => member.role === "owner").length;
  const onConfirm = () =>
    removing &&
    remove.mutate(
      { path: { id: project.id }, body: { userId: removing.userId } },
      {
        onSuccess: () => {
          showSuccess(`${removing.name} was removed from the project.`);
          setRemoving(null);
        },
      },
    );
  return (
    <>
      <ul className={section.rows} aria-label="Project members">
        {members.map((member) => (
          <li key={member.userId} className={section.row}>
            <div>
              <Text truncate>{member.name}</Text>
              <Text size="sm" c="dimmed" truncate title={member.email}>
                {member.email}
              </Text>
            </div>
            <Tag tone={member.role === "owner" ? "soft" : "plain"}>{member.role}</Tag>
            {!disabled && !(member.role === "owner" && owners === 1) && (
              <Tooltip label={`Remove ${member.name}`}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={`Remove ${member.name} from the project`}
                  onClick={() => setRemoving(member)}
                >
                  <IconUserMinus size={18} />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
      <ConfirmDialog
        opened={removing !== null}
        title={`Remove ${removing?.name ?? ""} from the project?`}
        confirmLabel="Remove"
        busy={remove.isPending}
        onConfirm={onConfirm}
        onClose={() => setRemoving(null)}
      >
        {removing && describeRemoval(removing.role, project.visibility)}
      </ConfirmDialog>
    </>
  );
}

export function Members({ disabled }: { disabled: boolean }) {
  const { id } = useProject();
  const members = useGet("/api/projects/{id}/members", { path: { id } });
  return (
    <SettingsSection
      title="Members"
      about="Members can write to the project; project admins can also change its settings. Team admins always have access."
    >
      <Loaded query={members}>
        {(all) => (
          <Stack>
            <MemberList members={all} disabled={disabled} />
            {!disabled && <AddMember members={all} />}
          </Stack>
        )}
      </Loaded>
    </SettingsSection>
  );
}
