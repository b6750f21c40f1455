"""``loremark start``: run a server in the background."""

from __future__ import annotations

import argparse

from loremark.cli.framework import OK

SUMMARY = "Start a server in the background on this machine."
EXAMPLE = "loremark start"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.base import running_servers
    from loremark.cli import local_server, output

    plan = local_server.plan_start()
    url = plan.settings.local_url
    server = running_servers.find_running(url)
    is_new = server is None
    if server is None:
        output.progress(f"Starting a server at {url}…")
        try:
            server = local_server.start(plan)
        finally:
            output.clear_progress()
    if arguments.json:
        output.write_json({"started": is_new, "server": server})
        return OK
    output.write(f"Loremark {server.version} {'is running' if is_new else 'was already running'} at {server.url}.")
    if server.log_file:
        output.write(output.plain(f"  Log   {server.log_file}"))
    output.write("  Stop  loremark stop")
    return OK
