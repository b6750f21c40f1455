"""``loremark whoami``."""

from __future__ import annotations

import argparse

SUMMARY = "Who the saved key acts as."
EXAMPLE = "loremark whoami --json"


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page
    from loremark.cli.desk import open_client
    from loremark.client.calls.identity import get_me

    with open_client() as client:
        me = client.send(get_me())
    if arguments.json:
        page.write_json(me)
    else:
        page.write(page.plain(f"{me.name} <{me.email}>, {me.role} of {me.team_name} ({me.plan} plan)"))
    return 0
