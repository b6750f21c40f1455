"""``loremark digest``: send the commit history from before Loremark was set up."""

from __future__ import annotations

import argparse
import os
from typing import Any

from loremark.cli import connection, output
from loremark.cli.enrichment import add_enrich_option, enrich_sent
from loremark.cli.event_sender import send_history
from loremark.cli.framework import OK, USAGE, CommandError
from loremark.hook import commits, gitrepository
from loremark.hook.git import GitError

SUMMARY = "Send this repository's past commits to the server."
EXAMPLE = "loremark digest --since v1.0 --limit 500"
_DEFAULT_LIMIT, _MAX_LIMIT = 200, 5_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="REF", help="only commits after this tag, branch or commit")
    parser.add_argument(
        "--limit",
        metavar="N",
        type=int,
        default=_DEFAULT_LIMIT,
        help=f"only the newest N commits (default: {_DEFAULT_LIMIT}, maximum: {_MAX_LIMIT})",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be sent, without sending it")
    add_enrich_option(parser)
    connection.add_project(parser)
    connection.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.limit <= _MAX_LIMIT:
        raise CommandError(f"--limit must be between 1 and {_MAX_LIMIT}", USAGE)
    try:
        gitrepository.discover(os.getcwd())
        return _preview(arguments) if arguments.dry_run else _send(arguments)
    except GitError as failure:
        raise CommandError(str(failure)) from None


def _preview(arguments: argparse.Namespace) -> int:
    history = commits.backfill(os.getcwd(), _ledger_project(arguments), arguments.since, None, arguments.limit)
    payloads = [digest.payload for digest in history.digests if digest.payload is not None]
    if arguments.json:
        output.write_json({"commits": history.commits, "events": payloads})
        return OK
    for commit in (commit for payload in payloads for commit in payload["commits"]):
        subject = commit["message"].split("\n")[0]
        changed = f"+{commit['insertions']} -{commit['deletions']}"
        output.write(
            output.one_line(f"{commit['sha'][:10]}  {commit['date'][:10]}  {changed:<12}  {subject}", output.width())
        )
    of_all = output.pluralize(history.commits, "commit")
    output.note(f"{_count_commits(payloads)} of {of_all} would be sent, in {output.pluralize(len(payloads), 'event')}")
    return OK


def _ledger_project(arguments: argparse.Namespace) -> str:
    """The project whose ledger to use. Contacts the server only to look up a name."""
    named = connection.find_project(arguments)
    if named is None or connection.is_project_id(named):
        return named or ""
    with connection.open_client() as client:
        return connection.resolve_project(client, named)


def _send(arguments: argparse.Namespace) -> int:
    with connection.open_client() as client:
        project = connection.get_project(arguments, client)
        history = commits.backfill(os.getcwd(), project, arguments.since, None, arguments.limit)
        of_all = output.pluralize(history.commits, "commit")
        try:
            sent = send_history(client, project, history, lambda count: output.progress(f"{count:,} of {of_all}"))
        finally:
            output.clear_progress()
        counts = {"commits": history.commits, "sent": sent.count, "events": sent.new + sent.known}
        if not arguments.json:
            before = history.commits - sent.count
            rest = f"; {before} {'was' if before == 1 else 'were'} already sent" if before else ""
            events = output.pluralize(sent.new + sent.known, "event")
            output.write(f"{output.pluralize(sent.count, 'commit')} sent in {events}{rest}")
        return enrich_sent(
            client, project, list(sent.sessions), arguments, {**counts, "duplicates": sent.known}, failed=False
        )


def _count_commits(payloads: list[dict[str, Any]]) -> int:
    return sum(len(payload["commits"]) for payload in payloads)
