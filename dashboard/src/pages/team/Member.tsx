import { ActionIcon, Avatar, Select, Text, Tooltip } from "@mantine/core";
import { IconUserMinus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Answer, ApiError } from "~/api/client";
import { call } from "~/api/client";
import { keyOf } from "~/api/hooks";
import { Tag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import { showDone, showProblem } from "~/parts/toast";
import { manages, useMe } from "~/shell/login";
import type { GivenRole } from "./Invite";
import classes from "./team.module.css";

export type Entry = Answer<"/api/team", "get">[number];
export type Person = Extract<Entry, { userId: string }>;
export const WHOLE_TEAM = { query: { include: "invited" as const } };

/** Another role, shown at once; as it was, if the server refuses. */
function useRole(person: Person) {
  const cache = useQueryClient();
  const key = keyOf("/api/team", WHOLE_TEAM);
  return useMutation<unknown, ApiError, GivenRole, Entry[] | undefined>({
    mutationFn: (role) =>
      call("patch", "/api/team/{memberId}", { path: { memberId: person.id }, body: { role } }),
    onMutate: (role) => {
      const before = cache.getQueryData<Entry[]>(key);
      cache.setQueryData<Entry[]>(key, (all) =>
        all?.map((one) => (one.id === person.id ? { ...one, role } : one)),
      );
      return before;
    },
    onSuccess: (_, role) => showDone(`${person.name} is ${role === "admin" ? "an admin" : "a member"} now.`),
    onError: (problem, _, before) => {
      if (before) cache.setQueryData(key, before);
      showProblem(problem);
    },
  });
}

/** A line for somebody of the team; whoever manages it changes roles and removes others, never themselves. */
export function Member({ person, remove }: { person: Person; remove: () => void }) {
  const me = useMe();
  const role = useRole(person);
  const self = person.userId === me.userId;
  const mayChange = manages(me) && !self && person.role !== "owner";
  return (
    <li className={classes.person}>
      <Avatar name={person.name} color="stone" variant="filled" size={38} radius="xl" aria-hidden />
      <div className={classes.who}>
        <Text fw={600} truncate>
          {person.name} {self && <Tag tone="info">you</Tag>}
        </Text>
        <Text size="sm" c="dimmed" truncate title={person.email}>
          {person.email}
        </Text>
      </div>
      <Text size="sm" c="dimmed" className={classes.since}>
        joined <Time at={person.joinedAt} />
      </Text>
      <div className={classes.deeds}>
        {mayChange ? (
          <>
            <Select
              aria-label={`Role of ${person.name}`}
              w={118}
              data={[
                { value: "admin", label: "Admin" },
                { value: "member", label: "Member" },
              ]}
              value={person.role}
              allowDeselect={false}
              onChange={(chosen) => chosen && chosen !== person.role && role.mutate(chosen as GivenRole)}
            />
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
