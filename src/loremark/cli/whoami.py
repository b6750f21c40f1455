"""``loremark whoami``."""

from __future__ import annotations

import argparse

SUMMARY = "Show the signed-in user."
EXAMPLE = "loremark whoami --json"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import open_client
    from loremark.client.calls.identity import get_me

    with open_client() as client:
        me = client.send(get_me())
    if arguments.json:
        output.write_json(me)
    else:
        output.write(output.plain(f"{me.name} <{me.email}>, {me.role} of {me.team_name} ({me.plan} plan)"))
    return 0
