import { Button, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconMail, IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useGet, useSend } from "~/api/hooks";
import { ConfirmDialog } from "~/parts/ConfirmDialog";
import { Loaded, Page } from "~/parts/Page";
import { Tag } from "~/parts/Tag";
import { RelativeTime } from "~/parts/format";
import { showSuccess } from "~/parts/toast";
import { canManageTeam, useMe } from "~/shell/login";
import { InviteDialog, ROLE_DESCRIPTIONS } from "./Invite";
import { Member, WHOLE_TEAM, type Entry, type Person } from "./Member";
import classes from "./team.module.css";

type Invited = Exclude<Entry, Person>;
const isPerson = (entry: Entry): entry is Person => "userId" in entry;

function Invitation({ entry, revoke }: { entry: Invited; revoke: () => void }) {
  const canRevoke = canManageTeam(useMe());
  return (
    <li className={classes.person}>
      <IconMail size={20} stroke={1.6} style={{ flex: "none", margin: "0 9px" }} aria-hidden />
      <div className={classes.identity}>
        <Text fw={600} truncate title={entry.email}>
          {entry.email}
        </Text>
        <Text size="sm" c="dimmed">
          invited <RelativeTime at={entry.invitedAt} />
        </Text>
      </div>
      <div className={classes.actions}>
        <Tag>{entry.role}</Tag>
        {canRevoke && (
          <Button
            variant="default"
            size="xs"
            h={36}
            onClick={revoke}
            aria-label={`Revoke the invitation to ${entry.email}`}
          >
            Revoke
          </Button>
        )}
      </div>
    </li>
  );
}

function RemoveDialog({ entry, onClose }: { entry: Entry | null; onClose: () => void }) {
  const remove = useSend("delete", "/api/team/{memberId}", {
    invalidates: ["/api/team", "/api/projects", "/api/keys"],
  });
  if (entry === null) return null;
  const name = isPerson(entry) ? entry.name : entry.email;
  const onConfirm = () =>
    remove.mutate(
      { path: { memberId: entry.id } },
      {
        onSuccess: () => {
          showSuccess(
            isPerson(entry) ? `${name} was removed from the team.` : `The invitation to ${name} was revoked.`,
          );
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      opened
      title={isPerson(entry) ? `Remove ${name}?` : "Revoke invitation?"}
      confirmLabel={isPerson(entry) ? "Remove" : "Revoke"}
      busy={remove.isPending}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {isPerson(entry)
        ? `${name} immediately loses access to this team: they are signed out, and their API keys stop working. ` +
          `Invitations they sent are revoked. In projects they managed, webhooks they set up are disabled and signing ` +
          `secrets are replaced; tools that sign events need the new ones. Projects that only ${name} owns pass to the ` +
          `team's owner. Memories ${name} added are kept.`
        : `The link sent to ${name} stops working. You can invite them again any time.`}
    </ConfirmDialog>
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
        <section aria-label="Pending invitations">
          <Title order={2} mb="sm">
            Pending invitations
          </Title>
          <ul className={classes.list} aria-label="Pending invitations">
            {invited.map((entry) => (
              <Invitation key={entry.id} entry={entry} revoke={() => setRemoving(entry)} />
            ))}
          </ul>
        </section>
      )}
      <section aria-label="Roles">
        <Title order={2} mb="sm">
          Roles
        </Title>
        <dl className={classes.roles}>
          {Object.entries(ROLE_DESCRIPTIONS).map(([role, description]) => (
            <div key={role}>
              <dt>
                <Tag tone={role === "owner" ? "soft" : "plain"}>{role}</Tag>
              </dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </section>
      <RemoveDialog entry={removing} onClose={() => setRemoving(null)} />
    </Stack>
  );
}

export default function Team() {
  const me = useMe();
  const team = useGet("/api/team", WHOLE_TEAM);
  const [opened, dialog] = useDisclosure(false);
  return (
    <Page
      title="Team"
      about={
        canManageTeam(me)
          ? `Invite people to ${me.teamName}, change roles and remove members.`
          : `The people on ${me.teamName}. Admins can invite and remove members.`
      }
      actions={
        canManageTeam(me) && (
          <Button leftSection={<IconUserPlus size={16} />} onClick={dialog.open}>
            Invite
          </Button>
        )
      }
    >
      <Loaded query={team}>{(entries) => <People entries={entries} />}</Loaded>
      <InviteDialog opened={opened} onClose={dialog.close} />
    </Page>
  );
}
