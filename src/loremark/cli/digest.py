"""``loremark digest``: send the commit history from before Loremark was set up."""

from __future__ import annotations

import argparse
import os
from typing import Any, NamedTuple

from loremark.cli import connection, output
from loremark.cli.framework import OK, USAGE, CommandError
from loremark.client.calls.events import send_event
from loremark.client.client import Client
from loremark.hook import commits, gitledger, gitrepository
from loremark.hook.git import GitError

SUMMARY = "Send this repository's past commits to the server."
EXAMPLE = "loremark digest --since v1.0 --limit 500"
_DEFAULT_LIMIT, _MAX_LIMIT = 200, 5_000


class _Sent(NamedTuple):
    """What was sent. ``session`` holds the new events, ready to be enriched."""

    commits: int = 0
    events: int = 0
    known: int = 0
    session: str = ""


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
        try:
            sent = _send_events(client, project, history)
        finally:
            output.clear_progress()
    commit_count, events = sent.commits, sent.events
    if arguments.json:
        output.write_json(
            {"commits": history.commits, "sent": commit_count, "events": events, "duplicates": sent.known}
        )
        return OK
    before = history.commits - commit_count
    rest = f"; {before} {'was' if before == 1 else 'were'} already sent" if before else ""
    output.write(f"{output.pluralize(commit_count, 'commit')} sent in {output.pluralize(events, 'event')}{rest}")
    if sent.session:
        output.note(f"To extract memories from them, run: loremark enrich {sent.session}")
    return OK


def _send_events(client: Client, project: str, history: commits.Backfill) -> _Sent:
    """Send event by event. Each is recorded right away, so an interrupted run can resume."""
    sent = _Sent()
    for digest in history.digests:
        if digest.payload is not None:
            saved = client.send(send_event(project, commits.EVENT, digest.payload))
            commit_count = sent.commits + len(digest.payload["commits"])
            session = sent.session if saved.duplicate else saved.session_id
            sent = _Sent(commit_count, sent.events + 1, sent.known + bool(saved.duplicate), session)
            output.progress(f"{commit_count} of {output.pluralize(history.commits, 'commit')}")
        gitledger.add(history.ledger, digest.reported, {})
    if history.commits:
        gitledger.add(history.ledger, {}, {history.branch: history.head})
    return sent


def _count_commits(payloads: list[dict[str, Any]]) -> int:
    return sum(len(payload["commits"]) for payload in payloads)
