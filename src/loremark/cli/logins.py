"""``loremark logins``."""

from __future__ import annotations

import argparse

from loremark.cli.framework import FAILED, USAGE, CommandError, add_subcommands

SUMMARY = "Show and end your browser sign-ins."
EXAMPLE = "loremark logins end --all --yes"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "list")
    listing = commands.add("list", "List the browsers you are signed in on.", _list, "loremark logins list")
    ending = commands.add("end", "Sign a browser out.", _end, EXAMPLE)
    ending.add_argument("login", nargs="?", metavar="LOGIN", help="login ID from the list")
    ending.add_argument("--all", action="store_true", help="sign out of all browsers")
    ending.add_argument("--yes", action="store_true", help="skip the confirmation")
    for command in (listing, ending):
        add_json(command)


def _list(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.identity import list_logins

    with open_client() as client:
        found = client.send(list_logins())
    if arguments.json:
        output.write_json(found)
        return 0
    rows = [
        (login.id, login.device, login.address, (login.last_used or login.created_at)[:16], login.team_name)
        for login in found
    ]
    output.table(rows, ("id", "device", "address", "last used", "team"))
    return 0


def _end(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.identity import end_login, list_logins

    if bool(arguments.login) == arguments.all:
        raise CommandError("name a login, or use --all", USAGE)
    with open_client() as client:
        chosen = [login.id for login in client.send(list_logins())] if arguments.all else [arguments.login]
        question = f"Sign {output.pluralize(len(chosen), 'browser')} out?"
        if chosen and not output.confirm(question, arguments.yes):
            output.note("Nothing was changed. Confirm with --yes.")
            return FAILED
        for login_id in chosen:
            client.send(end_login(login_id))
    if arguments.json:
        output.write_json({"ended": chosen})
    else:
        output.write(f"Signed {output.pluralize(len(chosen), 'browser')} out.")
    return 0
