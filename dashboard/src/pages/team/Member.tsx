import { ActionIcon, Avatar, Select, Text, Tooltip } from "@mantine/core";
import { IconUserMinus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ResponseBody, ApiError } from "~/api/client";
import { call } from "~/api/client";
import { queryKey } from "~/api/hooks";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { Tag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import { showSuccess, showError } from "~/parts/toast";
import { canManageTeam, useMe } from "~/shell/login";
import type { AssignableRole } from "./Invite";
import classes from "./team.module.css";

export type Entry = ResponseBody<"/api/team", "get">[number];
export type Person = Extract<Entry, { userId: string }>;
export const WHOLE_TEAM = { query: { include: "invited" as const } };

/** Changes a member's role: shown immediately, reverted if the server refuses. */
function useChangeRole(person: Person) {
  const cache = useQueryClient();
  const key = queryKey("/api/team", WHOLE_TEAM);
  return useMutation<unknown, ApiError, AssignableRole, Entry[] | undefined>({
    mutationFn: (role) =>
      call("patch", "/api/team/{memberId}", { path: { memberId: person.id }, body: { role } }),
    onMutate: (role) => {
      const before = cache.getQueryData<Entry[]>(key);
      cache.setQueryData<Entry[]>(key, (all) =>
        all?.map((entry) => (entry.id === person.id ? { ...entry, role } : entry)),
      );
      return before;
    },
    onSuccess: (_, role) =>
      showSuccess(`${person.name} is now ${role === "admin" ? "an admin" : "a member"}.`),
    onError: (error, _, before) => {
      if (before) cache.setQueryData(key, before);
      showError(error);
    },
  });
}

/** A team member's row. Owners and admins can change roles and remove others, but not themselves. */
export function Member({ person, remove }: { person: Person; remove: () => void }) {
  const me = useMe();
  const changeRole = useChangeRole(person);
  const [demoting, setDemoting] = useState(false);
  const choose = (role: string | null) => {
    if (role === null || role === person.role) return;
    if (role === "member") setDemoting(true);
    else changeRole.mutate(role as AssignableRole);
  };
  const self = person.userId === me.userId;
  const canChange = canManageTeam(me) && !self && person.role !== "owner";
  return (
    <li className={classes.person}>
      <Avatar name={person.name} color="slate" variant="filled" size={38} radius="xl" aria-hidden />
      <div className={classes.identity}>
        <Text fw={600} truncate>
          {person.name} {self && <Tag tone="info">you</Tag>}
        </Text>
        <Text size="sm" c="dimmed" truncate title={person.email}>
          {person.email}
        </Text>
      </div>
      <Text size="sm" c="dimmed" className={classes.joined}>
        joined <RelativeTime at={person.joinedAt} />
      </Text>
      <div className={classes.actions}>
        {canChange ? (
          <>
            <Select
              aria-label={`Role for ${person.name}`}
              w={118}
              data={[
                { value: "admin", label: "Admin" },
                { value: "member", label: "Member" },
              ]}
              value={person.role}
              allowDeselect={false}
              onChange={choose}
            />
            <ConfirmDialog
              opened={demoting}
              title={`Make ${person.name} a member?`}
              confirmLabel="Change role"
              onConfirm={() => {
                setDemoting(false);
                changeRole.mutate("member");
              }}
              onClose={() => setDemoting(false)}
            >
              {person.name} can no longer manage the team. Invitations they sent are revoked. In projects they
              can no longer manage, webhooks they set up are disabled and signing secrets are replaced; tools
              that sign events need the new ones.
            </ConfirmDialog>
            <Tooltip label={`Remove ${person.name}`}>
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                onClick={remove}
                aria-label={`Remove ${person.name}`}
              >
                <IconUserMinus size={18} />
              </ActionIcon>
            </Tooltip>
          </>
        ) : (
          <Tag tone={person.role === "owner" ? "soft" : "plain"}>{person.role}</Tag>
        )}
      </div>
    </li>
  );
}
