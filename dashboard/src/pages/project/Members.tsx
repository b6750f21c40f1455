import { ActionIcon, Autocomplete, Button, Group, Select, Stack, Text, Tooltip } from "@mantine/core";
import { IconUserMinus } from "@tabler/icons-react";
import { useState, type FormEvent } from "react";
import type { Answer } from "~/api/client";
import { useGet, useSend } from "~/api/hooks";
import { Section } from "~/pages/account/Section";
import section from "~/pages/account/section.module.css";
import { Confirm } from "~/pages/keys/Confirm";
import { Loaded } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { showDone } from "~/parts/toast";
import { manages, useMe } from "~/shell/login";
import { useProject } from "~/shell/project";

type Member = Answer<"/api/projects/{id}/members", "get">[number];
const TOUCHES = ["/api/projects", "/api/team"];

function Add({ there }: { there: Member[] }) {
  const me = useMe();
  const { id } = useProject();
  const team = useGet("/api/team");
  const [email, setEmail] = useState("");
  const [role, setRole] = useState<"admin" | "member">("member");
  const add = useSend("post", "/api/projects/{id}/members", { touches: TOUCHES, quiet: true });
  const known = new Set(there.map((one) => one.email));
  const others = (team.data ?? []).map((one) => one.email).filter((one) => !known.has(one));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(
      { path: { id }, body: { email: email.trim(), role } },
      {
        onSuccess: (added) => {
          setEmail("");
          showDone(
            "status" in added
              ? `An invitation to ${added.email} is on its way.`
              : `${added.name} is in the project.`,
          );
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="sm">
        <Autocomplete
          label="Add by e-mail"
          type="email"
          flex="1 1 14rem"
          required
          withAsterisk={false}
          data={others}
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
          onChange={(chosen) => setRole(chosen === "admin" ? "admin" : "member")}
        />
        <Button type="submit" variant="default" loading={add.isPending} disabled={email.trim() === ""}>
          Add
        </Button>
      </Group>
      {add.error && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="xs">
          {add.error.status === 403
            ? "Only the team's owner and admins invite somebody who is not in the team yet."
            : add.error.message}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt={6}>
        {manages(me)
          ? "Somebody who is not in the team yet gets an invitation by mail, and joins it with this project."
          : "Somebody of the team. Others are invited by the team's owner or admins."}
      </Text>
    </form>
  );
}

function List({ members, disabled }: { members: Member[]; disabled: boolean }) {
  const project = useProject();
  const [leaving, setLeaving] = useState<Member | null>(null);
  const remove = useSend("delete", "/api/projects/{id}/members", { touches: TOUCHES });
  const owners = members.filter((one) => one.role === "owner").length;
  const act = () =>
    leaving &&
    remove.mutate(
      { path: { id: project.id }, body: { userId: leaving.userId } },
      {
        onSuccess: () => {
          showDone(`${leaving.name} is no longer in the project.`);
          setLeaving(null);
        },
      },
    );
  return (
    <>
      <ul className={section.rows} aria-label="Members of the project">
        {members.map((one) => (
          <li key={one.userId} className={section.row}>
            <div>
              <Text truncate>{one.name}</Text>
              <Text size="sm" c="dimmed" truncate title={one.email}>
                {one.email}
              </Text>
            </div>
            <Tag tone={one.role === "owner" ? "soft" : "plain"}>{one.role}</Tag>
            {!disabled && !(one.role === "owner" && owners === 1) && (
              <Tooltip label={`Remove ${one.name}`}>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={36}
                  aria-label={`Remove ${one.name} from the project`}
                  onClick={() => setLeaving(one)}
                >
                  <IconUserMinus size={18} />
                </ActionIcon>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
      <Confirm
        opened={leaving !== null}
        title={`Remove ${leaving?.name ?? ""} from the project?`}
        act="Remove"
        busy={remove.isPending}
        onAct={act}
        onClose={() => setLeaving(null)}
      >
        {project.visibility === "public"
          ? "They can still read it, as everybody in the team can, but no longer write."
          : "They no longer see it, unless they are an owner or admin of the team."}{" "}
        What they have added stays.
      </Confirm>
    </>
  );
}

export function Members({ disabled }: { disabled: boolean }) {
  const { id } = useProject();
  const members = useGet("/api/projects/{id}/members", { path: { id } });
  return (
    <Section
      title="Members"
      about="They write to the project; its admins and owners also change these settings. The team's owner and admins see it anyway."
    >
      <Loaded of={members}>
        {(all) => (
          <Stack>
            <List members={all} disabled={disabled} />
            {!disabled && <Add there={all} />}
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
