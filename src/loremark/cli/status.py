"""``loremark status``: show the servers that run on this machine."""

from __future__ import annotations

import argparse

from loremark.cli.framework import FAILED, OK

SUMMARY = "Show the servers that you run on this machine."
EXAMPLE = "loremark status"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import profile, running_servers
    from loremark.cli import local_server, output

    running = running_servers.list_running()
    if arguments.json:
        output.write_json(running)
        return OK if running else FAILED
    for number, server in enumerate(running):
        if number:
            output.write()
        output.table(
            [*local_server.describe(server), ("stop", _how_to_stop(server.log_file, len(running), server.url))]
        )
    if not running:
        output.note("No server is running on this machine. To start one, run: loremark start")
    saved = profile.load()
    if saved is not None and saved.url not in [server.url for server in running]:
        output.note(f"You are signed in to {saved.url}. To check the connection, run: loremark doctor")
    return OK if running else FAILED


def _how_to_stop(log_file: str, count: int, url: str) -> str:
    command = "loremark stop" if count == 1 else f"loremark stop --url {url}"
    return command if log_file else f"Ctrl-C in its terminal, or {command}"
