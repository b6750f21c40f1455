"""``loremark logout``."""

from __future__ import annotations

import argparse

from loremark.base import profile
from loremark.cli.kit import Stop

SUMMARY = "Forget the saved server, key and secrets; with --revoke, also end the key on the server."
EXAMPLE = "loremark logout --revoke"


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    parser.add_argument("--revoke", action="store_true", help="end the key on the server, for everybody who has it")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page

    saved = profile.load({})
    revoked = saved is not None and arguments.revoke and _revoke(saved)
    forgotten = profile.forget()
    if arguments.json:
        page.write_json({"forgotten": forgotten, "revoked": revoked})
    elif not forgotten:
        page.note("nobody was signed in")
    else:
        page.write(page.plain(f"Signed out of {saved.url}." if saved is not None else "Signed out."))
    if profile.is_given():
        page.note("LOREMARK_API_KEY is still set in the environment")
    return 0


def _revoke(saved: profile.Profile) -> bool:
    from loremark.cli.keys import is_same
    from loremark.client.call import ApiError
    from loremark.client.calls.keys import delete_key, list_keys
    from loremark.client.client import Client

    with Client(saved.url, saved.key) as client:
        try:
            own = [key for key in client.every(list_keys()) if is_same(key, saved.key)]
        except ApiError as error:
            if error.status == 401:  # it has ended already
                return False
            raise
        if len(own) != 1:
            raise Stop("which of your keys this is cannot be told; end it with: loremark keys delete")
        client.send(delete_key(own[0].id))
    return True
