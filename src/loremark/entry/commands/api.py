"""``loremark api``: alone, the API as a process; with a method and a path, one raw call of it."""

from __future__ import annotations

import argparse

from loremark.cli.kit import USAGE, Stop

SUMMARY = "The API as a process of its own; or with METHOD and PATH, one raw call of the server you are signed in to."
EXAMPLE = "loremark api GET /api/v2/items -q status=draft\n"
EXAMPLE += '  loremark api PATCH /api/v2/items/ID -d \'{"status": "approved"}\''


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("method", nargs="?", metavar="METHOD", help="GET, POST, PUT, PATCH or DELETE")
    parser.add_argument("path", nargs="?", metavar="PATH", help="such as /api/projects")
    parser.add_argument("-q", "--query", action="append", default=[], metavar="NAME=VALUE", help="a query parameter")
    parser.add_argument("-d", "--data", metavar="JSON", help="the body; @FILE reads it from a file, @- from the input")
    parser.add_argument("--sign", metavar="PROJECT", help="sign the call with this project's secret")


def run(arguments: argparse.Namespace) -> int:
    if arguments.method is None:
        from loremark.entry import processes
        from loremark.entry.commands.running import read_settings, run_all

        run_all(processes.api(read_settings()))
        return 0
    if arguments.path is None:
        raise Stop("a call needs METHOD and PATH, such as: loremark api GET /api/projects", USAGE)
    from loremark.cli import calling

    return calling.call(arguments)
