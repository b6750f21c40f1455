"""``loremark api``: run the API server or, with a method and a path, send one API request."""

from __future__ import annotations

import argparse

from loremark.cli.framework import USAGE, CommandError

SUMMARY = "Run only the API server, or send an API request with METHOD and PATH."
EXAMPLE = "loremark api GET /api/v2/items -q status=draft\n"
EXAMPLE += '  loremark api PATCH /api/v2/items/ID -d \'{"status": "approved"}\''


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("method", nargs="?", metavar="METHOD", help="GET, HEAD, POST, PUT, PATCH or DELETE")
    parser.add_argument("path", nargs="?", metavar="PATH", help="for example /api/projects")
    parser.add_argument("-q", "--query", action="append", default=[], metavar="NAME=VALUE", help="a query parameter")
    parser.add_argument("-d", "--data", metavar="JSON", help="request body; @FILE reads a file, @- standard input")
    parser.add_argument("--sign", metavar="PROJECT", help="sign the request with this project's secret")


def run(arguments: argparse.Namespace) -> int:
    if arguments.method is None:
        from loremark.entry import processes
        from loremark.entry.commands.runner import read_settings, run_async

        run_async(processes.api(read_settings()))
        return 0
    if arguments.path is None:
        raise CommandError("PATH is missing; for example: loremark api GET /api/projects", USAGE)
    from loremark.cli import api_request

    return api_request.call(arguments)
