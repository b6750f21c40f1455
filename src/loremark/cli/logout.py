"""``loremark logout``."""

from __future__ import annotations

import argparse

from loremark.base import profile

SUMMARY = "Sign out and delete the saved key and secrets."
EXAMPLE = "loremark logout --revoke"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("--revoke", action="store_true", help="also revoke the key on the server")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output

    saved = profile.load({})
    revoked = saved is not None and arguments.revoke and revoke(saved)
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


def revoke(saved: profile.Profile) -> bool:
    """Revoke the agents' keys and the user's own. Returns whether that one was still valid."""
    return [_revoke_key(saved.url, key) for key in (*saved.agent_keys.values(), saved.key)][-1]


def _revoke_key(url: str, key: str) -> bool:
    from loremark.client.call import ApiError
    from loremark.client.calls.identity import get_me
    from loremark.client.calls.keys import delete_key
    from loremark.client.client import Client

    with Client(url, key) as client:
        try:
            client.send(delete_key(client.send(get_me()).key_id or ""))
        except ApiError as error:
            if error.status == 401:  # already revoked
                return False
            raise
    return True
