"""``loremark stop``: stop the server on this machine."""

from __future__ import annotations

import argparse

from loremark.cli.framework import OK, USAGE, CommandError

SUMMARY = "Stop the server on this machine. Its data is kept."
EXAMPLE = "loremark stop"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    parser.add_argument("--url", help="address of the server to stop, if several are running")
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import profile, running_servers
    from loremark.cli import local_server, output

    running = running_servers.list_running()
    if arguments.url:
        url = profile.normalize_url(arguments.url)
        running = [server for server in running if server.url == url]
        if not running:
            raise CommandError(f"you run no server at {url}; see: loremark status", USAGE)
    if len(running) > 1:
        raise CommandError(
            f"several servers are running; choose one with --url: {', '.join(each.url for each in running)}", USAGE
        )
    for server in running:
        local_server.stop(server)
    if arguments.json:
        output.write_json({"stopped": running})
    elif running:
        output.write(f"Stopped the server at {running[0].url}. To start it again, run: loremark start")
    else:
        output.note("No server is running on this machine.")
    return OK
