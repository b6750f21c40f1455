"""``loremark brain``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import OK

if TYPE_CHECKING:
    from loremark.wire.brain import BrainMetadata

SUMMARY = "Print a project's approved memories as one document."
EXAMPLE = "loremark brain --budget 2000"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("--budget", type=int, metavar="TOKENS", help="size limit, 200 to 200000 (default: 6000)")
    parser.add_argument("--branch", metavar="NAME", help="include memories from this branch")
    parser.add_argument("--files", metavar="A,B", help="put memories about these files first")
    parser.add_argument("--metadata", action="store_true", help="show item and token counts instead of the document")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import markdown, output, paths
    from loremark.cli.connection import get_project, open_client
    from loremark.cli.draft_hints import all_drafts_hint
    from loremark.client.calls.brain import get_brain

    files = paths.comma_separated(arguments.files.split(",")) if arguments.files else None
    with open_client() as client:
        project_id = get_project(arguments, client)
        brain = client.send(get_brain(project_id, arguments.budget, arguments.branch, files))
        is_empty = brain.metadata.item_count == 0 and brain.metadata.omitted.count == 0
        hint = all_drafts_hint(client, project_id) if is_empty and not arguments.json else ""
    if arguments.json:
        output.write_json(brain.metadata if arguments.metadata else brain)
        return OK
    if arguments.metadata:
        _show_metadata(brain.metadata)
    else:
        markdown.show(brain.markdown)
    if hint:
        output.note(f"No approved items yet. {hint}")
    return OK


def _show_metadata(metadata: BrainMetadata) -> None:
    from loremark.cli import output

    rows = [
        ("items", str(metadata.item_count)),
        ("tokens", f"{metadata.token_estimate} of {metadata.budget}"),
        ("left out", str(metadata.omitted.count)),
        ("assembled", metadata.assembled_at),
        ("keys", ", ".join(metadata.schema_keys)),
    ]
    output.table(rows)
