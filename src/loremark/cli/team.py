"""``loremark team``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, CommandError, add_subcommands

if TYPE_CHECKING:
    from loremark.client.calls.team import TeamEntry
    from loremark.client.client import Client

SUMMARY = "Manage team members."
EXAMPLE = "loremark team invite mira@example.com --role member"

_ROLES = ("admin", "member")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List members and pending invitations.", _list, "loremark team list")
    inviting = commands.add("invite", "Invite someone by email.", _invite, EXAMPLE)
    inviting.add_argument("email", metavar="EMAIL", help="email address")
    inviting.add_argument("--role", choices=_ROLES, default="member", help="role in the team (default: member)")
    changing = commands.add("role", "Change a member's role.", _role, "loremark team role mira@example.com admin")
    changing.add_argument("member", metavar="MEMBER", help="email address or ID")
    changing.add_argument("role", metavar="ROLE", choices=_ROLES, help="admin or member")
    removing = commands.add(
        "remove",
        "Remove a member, or revoke an invitation. Access ends immediately.",
        _remove,
        "loremark team remove mira@example.com --yes",
    )
    removing.add_argument("member", metavar="MEMBER", help="email address or ID")
    removing.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, inviting, changing, removing):
        add_json(command)


def _list_people(client: Client) -> list[TeamEntry]:
    from loremark.client.call import Call, path
    from loremark.client.calls.team import TeamEntry

    call = Call(method="GET", path=path("/api/team", include="invited"), response_type=list[TeamEntry])
    return list(client.paginate(call))


def _get_person(client: Client, email_or_id: str) -> TeamEntry:
    matches = [
        person
        for person in _list_people(client)
        if email_or_id == person.id or email_or_id.lower() == person.email.lower()
    ]
    if not matches:
        raise CommandError(f"{email_or_id} is not on the team (see: loremark team list)")
    return matches[0]


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client

    with open_client() as client:
        found = _list_people(client)
    if arguments.json:
        output.write_json(found)
    else:
        rows = [(person.id, person.role, person.status, person.email, person.name) for person in found]
        output.table(rows, ("id", "role", "status", "email", "name"))
    return 0


def _invite(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.team import invite

    with open_client() as client:
        invitation = client.send(invite(arguments.email, arguments.role))
    if arguments.json:
        output.write_json(invitation)
    else:
        output.write(output.plain(f"Invited {invitation.email} as {invitation.role} ({invitation.id})."))
    return 0


def _role(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.team import change_role

    with open_client() as client:
        changed = client.send(change_role(_get_person(client, arguments.member).id, arguments.role))
    if arguments.json:
        output.write_json(changed)
    else:
        output.write(output.plain(f"{changed.email} now has the role {changed.role}."))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.team import remove_member

    with open_client() as client:
        person = _get_person(client, arguments.member)
        if not output.confirm(f"Remove {person.email} ({person.status}) from the team?", arguments.yes):
            output.note("Not removed. Confirm with --yes.")
            return FAILED
        client.send(remove_member(person.id))
    if arguments.json:
        output.write_json({"removed": person.id})
    else:
        output.write(output.plain(f"Removed {person.email} from the team."))
    return 0
