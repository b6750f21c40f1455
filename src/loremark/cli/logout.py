"""``loremark logout``."""

from __future__ import annotations

import argparse

from loremark.base import profile
from loremark.cli.framework import CommandError

SUMMARY = "Sign out and delete the saved key and secrets."
EXAMPLE = "loremark logout --revoke"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("--revoke", action="store_true", help="also revoke the key on the server")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output

    saved = profile.load({})
    revoked = saved is not None and arguments.revoke and _revoke(saved)
    forgotten = profile.forget()
    if arguments.json:
        output.write_json({"forgotten": forgotten, "revoked": revoked})
    elif not forgotten:
        output.note("You were not signed in.")
    else:
        output.write(output.plain(f"Signed out of {saved.url}." if saved is not None else "Signed out."))
    if profile.has_environment_key():
        output.note("LOREMARK_API_KEY is still set in the environment.")
    return 0


def _revoke(saved: profile.Profile) -> bool:
    from loremark.cli.keys import is_same
    from loremark.client.call import ApiError
    from loremark.client.calls.keys import delete_key, list_keys
    from loremark.client.client import Client

    with Client(saved.url, saved.key) as client:
        try:
            own = [key for key in client.paginate(list_keys()) if is_same(key, saved.key)]
        except ApiError as error:
            if error.status == 401:  # already revoked
                return False
            raise
        if len(own) != 1:
            raise CommandError(
                "cannot tell which of your API keys this is; run: loremark keys delete KEY, then: loremark logout"
            )
        client.send(delete_key(own[0].id))
    return True
