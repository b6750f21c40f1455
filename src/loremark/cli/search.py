"""``loremark search``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import OK

if TYPE_CHECKING:
    from loremark.wire.search import SearchResult

SUMMARY = "Find items of the memory by what they mean."
EXAMPLE = 'loremark search "how are webhooks retried"'

_INDENT = "     "
TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("words", nargs="+", metavar="WORD", help="what is looked for")
    parser.add_argument("--limit", type=int, help="how many (10)")
    parser.add_argument("--type", choices=TYPES, help="only items of this type")
    parser.add_argument("--files", metavar="A,B", help="only items that name one of these files")
    parser.add_argument("--min", type=float, metavar="SIMILARITY", help="how near at least (0.5)")
    parser.add_argument("--status", choices=("approved", "draft"), help="approved ones, or drafts (approved)")
    parser.add_argument("--branch", metavar="NAME", help="as known on this branch")
    parser.add_argument("--explain", action="store_true", help="say why each was found")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page, paths
    from loremark.cli.desk import get_project, open_client
    from loremark.cli.waiting import matching
    from loremark.client.calls.search import search

    words = " ".join(arguments.words)
    files = paths.listed(arguments.files.split(",")) if arguments.files else None
    filters = {"type": arguments.type, "files": files, "min_similarity": arguments.min, "branch": arguments.branch}
    with open_client() as client:
        project_id = get_project(arguments, client)
        call = search(
            project_id,
            words,
            limit=arguments.limit,
            status=arguments.status,
            explain=arguments.explain or None,
            **filters,
        )
        found = client.send(call)
        if arguments.json:
            page.write_json(found)
            return OK
        for result in found.results:
            show(result)
        if not found.results:
            hint = matching(client, project_id, words, **filters) if arguments.status is None else ""
            page.note("nothing found" + (f"; {hint}" if hint else ""))
    return OK


def show(result: SearchResult) -> None:
    """A result in three lines."""
    from loremark.cli import cards, page

    page.paragraph(f"{result.similarity:.2f} {result.type:<14} ", result.title, "bold")
    page.paragraph(_INDENT, cards.fact(result.facts))
    page.paragraph(_INDENT, " ".join((result.item_id, ", ".join(result.files))), "dim")
    if isinstance(result.why, list):
        for reason in result.why:
            page.paragraph(_INDENT, f"{reason.points:+.4f} {reason.leg}: {reason.told}", "cyan")
