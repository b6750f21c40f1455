"""``loremark audit``."""

from __future__ import annotations

import argparse

from loremark.cli.framework import add_subcommands

SUMMARY = "Export the team's audit log."
EXAMPLE = "loremark audit export --output audit.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json

    commands = add_subcommands(parser, "export")
    exporting = commands.add("export", "Export the audit log as JSON Lines, oldest first.", _export, EXAMPLE)
    exporting.add_argument("--action", help="only this action, such as key.created")
    exporting.add_argument("--project", metavar="PROJECT", help="only this project, by ID or name")
    exporting.add_argument("--output", metavar="FILE", help="file to write (default: standard output)")
    add_json(exporting)


def _export(arguments: argparse.Namespace) -> int:
    from loremark.cli.connection import get_profile, open_client, resolve_project
    from loremark.cli.exporting import write_lines
    from loremark.client.calls.audit import export_audit
    from loremark.client.calls.transfer import stream_lines

    found = get_profile()
    with open_client() as client:
        project = resolve_project(client, arguments.project) if arguments.project else None
    return write_lines(arguments, stream_lines(export_audit(arguments.action, project), found.url, found.key))
