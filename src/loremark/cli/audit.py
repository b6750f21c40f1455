"""``loremark audit``."""

from __future__ import annotations

import argparse
import sys

from loremark.cli.framework import add_subcommands

SUMMARY = "Export the team's audit log."
EXAMPLE = "loremark audit export --output audit.jsonl"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    commands = add_subcommands(parser, "export")
    exporting = commands.add("export", "Export the audit log as JSON Lines, oldest first.", _export, EXAMPLE)
    exporting.add_argument("--action", help="only this action, such as key.created")
    exporting.add_argument("--project", metavar="PROJECT", help="only this project, by ID or name")
    exporting.add_argument("--output", metavar="FILE", help="file to write (default: standard output)")


def _export(arguments: argparse.Namespace) -> int:
    from loremark.cli import output
    from loremark.cli.connection import get_profile, open_client, resolve_project
    from loremark.cli.exporting import save
    from loremark.client.calls.audit import export_audit
    from loremark.client.calls.transfer import stream_lines

    found = get_profile()
    with open_client() as client:
        project = resolve_project(client, arguments.project) if arguments.project else None
    lines = stream_lines(export_audit(arguments.action, project), found.url, found.key)
    if not arguments.output:
        for line in lines:
            sys.stdout.buffer.write(line)
        sys.stdout.buffer.flush()
        return 0
    save(arguments.output, lambda file: file.writelines(lines))
    output.note(f"Wrote the audit log to {arguments.output}.")
    return 0
