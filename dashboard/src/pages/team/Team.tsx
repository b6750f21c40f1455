import { Button, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMail, IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useGet, useSend } from "~/api/hooks";
import { Confirm } from "~/pages/keys/Confirm";
import { Loaded, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { Time } from "~/parts/Time";
import { showDone } from "~/parts/toast";
import { manages, useMe } from "~/shell/login";
import { Invite, ROLES } from "./Invite";
import { Member, WHOLE_TEAM, type Entry, type Person } from "./Member";
import classes from "./team.module.css";

type Invited = Exclude<Entry, Person>;
const isPerson = (entry: Entry): entry is Person => "userId" in entry;

function Invitation({ entry, takeBack }: { entry: Invited; takeBack: () => void }) {
  const may = manages(useMe());
  return (
    <li className={classes.person}>
      <IconMail size={20} stroke={1.6} style={{ flex: "none", margin: "0 9px" }} aria-hidden />
      <div className={classes.who}>
        <Text fw={600} truncate title={entry.email}>
          {entry.email}
        </Text>
        <Text size="sm" c="dimmed">
          invited <Time at={entry.invitedAt} />
        </Text>
      </div>
      <div className={classes.deeds}>
        <Tag>{entry.role}</Tag>
        {may && (
          <Button
            variant="default"
            size="xs"
            h={36}
            onClick={takeBack}
            aria-label={`Take back the invitation to ${entry.email}`}
          >
            Take back
          </Button>
        )}
      </div>
    </li>
  );
}

function Removing({ entry, onClose }: { entry: Entry | null; onClose: () => void }) {
  const remove = useSend("delete", "/api/team/{memberId}", {
    touches: ["/api/team", "/api/projects", "/api/keys"],
  });
  if (entry === null) return null;
  const name = isPerson(entry) ? entry.name : entry.email;
  const act = () =>
    remove.mutate(
      { path: { memberId: entry.id } },
      {
        onSuccess: () => {
          showDone(
            isPerson(entry)
              ? `${name} is no longer in the team.`
              : `The invitation to ${name} is taken back.`,
          );
          onClose();
        },
      },
    );
  return (
    <Confirm
      opened
      title={isPerson(entry) ? `Remove ${name}?` : "Take the invitation back?"}
      act={isPerson(entry) ? "Remove" : "Take back"}
      busy={remove.isPending}
      onAct={act}
      onClose={onClose}
    >
      {isPerson(entry)
        ? `${name} loses every access at once: logins, keys and projects of this team. Projects of which ${name} was the only owner pass to the team's owner. What ${name} has added to the memory stays.`
        : `The link that was sent to ${name} stops working. You can invite the address again at any time.`}
    </Confirm>
  );
}

function People({ entries }: { entries: Entry[] }) {
  const [removing, setRemoving] = useState<Entry | null>(null);
  const invited = entries.filter((entry): entry is Invited => !isPerson(entry));
  return (
    <Stack gap="xl">
      <section aria-label="Members">
        <Title order={2} mb="sm">
          Members
        </Title>
        <ul className={classes.list} aria-label="Members">
          {entries.filter(isPerson).map((person) => (
            <Member key={person.id} person={person} remove={() => setRemoving(person)} />
          ))}
        </ul>
      </section>
      {invited.length > 0 && (
        <section aria-label="Open invitations">
          <Title order={2} mb="sm">
            Open invitations
          </Title>
          <ul className={classes.list} aria-label="Open invitations">
            {invited.map((entry) => (
              <Invitation key={entry.id} entry={entry} takeBack={() => setRemoving(entry)} />
            ))}
          </ul>
        </section>
      )}
      <section aria-label="What the roles may do">
        <Title order={2} mb="sm">
          What the roles may do
        </Title>
        <dl className={classes.roles}>
          {Object.entries(ROLES).map(([role, words]) => (
            <div key={role}>
              <dt>
                <Tag tone={role === "owner" ? "soft" : "plain"}>{role}</Tag>
              </dt>
              <dd>{words}</dd>
            </div>
          ))}
        </dl>
      </section>
      <Removing entry={removing} onClose={() => setRemoving(null)} />
    </Stack>
  );
}

export default function Team() {
  const me = useMe();
  const team = useGet("/api/team", WHOLE_TEAM);
  const [opened, dialog] = useDisclosure(false);
  return (
    <Page
      title={me.teamName}
      about={
        manages(me)
          ? "Who belongs to the team, and what they may do."
          : "Who belongs to the team. Its owner and admins invite and remove people."
      }
      actions={
        manages(me) && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={dialog.open}>
            Invite
          </Button>
        )
      }
    >
      <Loaded of={team}>{(entries) => <People entries={entries} />}</Loaded>
      <Invite opened={opened} onClose={dialog.close} />
    </Page>
  );
}
