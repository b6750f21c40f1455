"""``loremark brain``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import OK

if TYPE_CHECKING:
    from loremark.wire.brain import BrainMetadata

SUMMARY = "The project's memory as one document, as an agent reads it."
EXAMPLE = "loremark brain --budget 2000"


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("--budget", type=int, metavar="TOKENS", help="how long it may be (200 to 200000; 6000)")
    parser.add_argument("--branch", metavar="NAME", help="with what is known on this branch")
    parser.add_argument("--files", metavar="A,B", help="with what matters for these files first")
    parser.add_argument("--metadata", action="store_true", help="say what is in it, and what did not fit")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import markdown, page, paths
    from loremark.cli.desk import get_project, open_client
    from loremark.cli.waiting import counting
    from loremark.client.calls.brain import get_brain

    files = paths.listed(arguments.files.split(",")) if arguments.files else None
    with open_client() as client:
        project_id = get_project(arguments, client)
        brain = client.send(get_brain(project_id, arguments.budget, arguments.branch, files))
        is_empty = brain.metadata.item_count == 0 and brain.metadata.omitted.count == 0
        hint = counting(client, project_id) if is_empty and not arguments.json else ""
    if arguments.json:
        page.write_json(brain.metadata if arguments.metadata else brain)
        return OK
    if arguments.metadata:
        _show_metadata(brain.metadata)
    else:
        markdown.show(brain.markdown)
    if hint:
        page.note(f"no item is approved yet; {hint}")
    return OK


def _show_metadata(told: BrainMetadata) -> None:
    from loremark.cli import page

    rows = [
        ("items", str(told.item_count)),
        ("tokens", f"{told.token_estimate} of {told.budget}"),
        ("left out", str(told.omitted.count)),
        ("assembled", told.assembled_at),
        ("keys", ", ".join(told.schema_keys)),
    ]
    page.table(rows)
