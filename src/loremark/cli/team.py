"""``loremark team``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, Stop, actions

if TYPE_CHECKING:
    from loremark.client.calls.team import Somebody
    from loremark.client.client import Client

SUMMARY = "The people of your team: list, invite, change roles, remove."
EXAMPLE = "loremark team invite mira@example.com --role member"

_ROLES = ("admin", "member")


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    verbs = actions(parser, "list")
    listing = verbs.add("list", "Members, and who was invited.", _list, "loremark team list")
    inviting = verbs.add("invite", "Invite somebody by mail.", _invite, EXAMPLE)
    inviting.add_argument("email", metavar="EMAIL", help="whom")
    inviting.add_argument("--role", choices=_ROLES, default="member", help="what they may do (member, if left out)")
    changing = verbs.add("role", "Give a member another role.", _role, "loremark team role mira@example.com admin")
    changing.add_argument("member", metavar="MEMBER", help="an e-mail address, or an id")
    changing.add_argument("role", metavar="ROLE", choices=_ROLES, help="admin or member")
    removing = verbs.add(
        "remove",
        "Remove a member, who loses every access at once; or take an invitation back.",
        _remove,
        "loremark team remove mira@example.com --yes",
    )
    removing.add_argument("member", metavar="MEMBER", help="an e-mail address, or an id")
    removing.add_argument("--yes", action="store_true", help="do not ask")
    for verb in (listing, inviting, changing, removing):
        add_json(verb)


def _people(client: Client) -> list[Somebody]:
    from loremark.client.call import Call, path
    from loremark.client.calls.team import Somebody

    asked = Call(method="GET", path=path("/api/team", include="invited"), answer=list[Somebody])
    return list(client.every(asked))


def _person(client: Client, named: str) -> Somebody:
    meant = [person for person in _people(client) if named == person.id or named.lower() == person.email.lower()]
    if not meant:
        raise Stop(f"{named} is not of the team; see: loremark team list")
    return meant[0]


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client

    with open_client() as client:
        found = _people(client)
    if arguments.json:
        page.write_json(found)
    else:
        rows = [(person.id, person.role, person.status, person.email, person.name) for person in found]
        page.table(rows, ("id", "role", "status", "e-mail", "name"))
    return 0


def _invite(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.team import invite

    with open_client() as client:
        made = client.send(invite(arguments.email, arguments.role))
    if arguments.json:
        page.write_json(made)
    else:
        page.write(page.plain(f"{made.email} is invited as {made.role} ({made.id})."))
    return 0


def _role(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.team import change_role

    with open_client() as client:
        changed = client.send(change_role(_person(client, arguments.member).id, arguments.role))
    if arguments.json:
        page.write_json(changed)
    else:
        page.write(page.plain(f"{changed.email} is {changed.role} now."))
    return 0


def _remove(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.team import remove_member

    with open_client() as client:
        person = _person(client, arguments.member)
        if not page.confirm(f"Remove {person.email} ({person.status}) from the team?", arguments.yes):
            page.note("left as it is; say --yes")
            return FAILED
        client.send(remove_member(person.id))
    if arguments.json:
        page.write_json({"removed": person.id})
    else:
        page.write(page.plain(f"{person.email} is no longer of the team."))
    return 0
