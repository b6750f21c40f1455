"""``loremark search``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from loremark.cli.framework import OK

if TYPE_CHECKING:
    from loremark.wire.search import SearchResult, TurnResult

SUMMARY = "Search memories, sessions and commits by meaning."
EXAMPLE = 'loremark search "how are webhooks retried"'

_INDENT = "     "
TYPES = ("architecture", "convention", "implementation", "decision", "bug", "todo", "codemap")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument("words", nargs="+", metavar="QUERY", help="what to search for")
    parser.add_argument("--limit", type=int, metavar="N", help="maximum number of results (default: 10)")
    parser.add_argument("--type", choices=TYPES, help="only items of this type")
    parser.add_argument("--files", metavar="A,B", help="only items about one of these files")
    parser.add_argument("--min", type=float, metavar="SIMILARITY", help="minimum similarity (default: 0.5)")
    parser.add_argument(
        "--status", choices=("approved", "draft"), help="search approved items or drafts (default: approved)"
    )
    parser.add_argument("--branch", metavar="NAME", help="include memories from this branch")
    parser.add_argument(
        "--in",
        dest="within",
        choices=("items", "sessions", "all"),
        help="where to search: memory items, unreviewed sessions and commits, or all (default: items)",
    )
    parser.add_argument("--explain", action="store_true", help="show why each result matched")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import output, paths
    from loremark.cli.connection import get_project, open_client
    from loremark.cli.draft_hints import matching_drafts_hint
    from loremark.client.calls.search import search

    query = " ".join(arguments.words)
    files = paths.comma_separated(arguments.files.split(",")) if arguments.files else None
    filters = {"type": arguments.type, "files": files, "min_similarity": arguments.min, "branch": arguments.branch}
    with open_client() as client:
        project_id = get_project(arguments, client)
        call = search(
            project_id,
            query,
            limit=arguments.limit,
            status=arguments.status,
            explain=arguments.explain or None,
            within=arguments.within,
            **filters,
        )
        found = client.send(call)
        if arguments.json:
            output.write_json(found)
            return OK
        turns = found.turns if isinstance(found.turns, list) else []
        for result in found.results:
            show(result)
        show_turns(turns)
        if not found.results and not turns:
            hint = matching_drafts_hint(client, project_id, query, **filters) if arguments.status is None else ""
            output.note("No matching memories." + (f" {hint}" if hint else ""))
    return OK


def show(result: SearchResult) -> None:
    """Print one result."""
    from loremark.cli import output, rendering

    output.paragraph(f"{result.similarity:.2f} {result.type:<14} ", result.title, "bold")
    output.paragraph(_INDENT, rendering.shorten_fact(result.facts))
    mark = "(unreviewed)" if result.reviewed is False else ""
    output.paragraph(_INDENT, " ".join(filter(None, (result.item_id, mark, ", ".join(result.files)))), "dim")
    if isinstance(result.explanation, list):
        for reason in result.explanation:
            output.paragraph(_INDENT, f"{reason.score:+.4f} {reason.signal}: {reason.description}", "cyan")


def show_turns(turns: Sequence[TurnResult]) -> None:
    """Print quotations from sessions and commits."""
    from loremark.cli import output

    if turns:
        output.write(output.styled("Sessions and commits (unreviewed):", "bold"))
    for turn in turns:
        branch = f"branch {turn.branch}" if turn.branch else ""
        about = ", ".join(filter(None, (turn.said_at[:10], turn.agent, branch)))
        output.paragraph(f"{turn.similarity:.2f} {turn.kind:<14} ", about, "bold")
        output.paragraph(_INDENT, turn.excerpt)
        output.paragraph(_INDENT, " ".join(filter(None, (turn.session_id, turn.commit_sha))), "dim")
