"""``loremark digest``: history that was made before loremark was there, told to the server once."""

from __future__ import annotations

import argparse
import os
from typing import Any, NamedTuple

from loremark.cli import desk, page
from loremark.cli.kit import OK, USAGE, Stop
from loremark.client.calls.events import tell_event
from loremark.client.client import Client
from loremark.hook import commits, gitledger, gitrepository
from loremark.hook.git import GitFailed

SUMMARY = "Tell the server what the commits of this repository changed."
EXAMPLE = "loremark digest --since v1.0 --limit 500"
_USUAL, _MOST = 200, 5_000


class _Sent(NamedTuple):
    """How much was told; ``session``: where what is new waits to be enriched."""

    commits: int = 0
    events: int = 0
    known: int = 0
    session: str = ""


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--since", metavar="REF", help="only commits after this one (a tag, a branch, a commit)")
    parser.add_argument(
        "--limit", metavar="N", type=int, default=_USUAL, help=f"the newest N commits ({_USUAL}; at most {_MOST})"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would be told, and send nothing")
    desk.add_project(parser)
    desk.add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.limit <= _MOST:
        raise Stop(f"--limit must be between 1 and {_MOST}", USAGE)
    try:
        gitrepository.discover(os.getcwd())
        return _preview(arguments) if arguments.dry_run else _send(arguments)
    except GitFailed as failure:
        raise Stop(str(failure)) from None


def _preview(arguments: argparse.Namespace) -> int:
    history = commits.backfill(os.getcwd(), _told_project(arguments), arguments.since, None, arguments.limit)
    payloads = [piece.payload for piece in history.pieces if piece.payload is not None]
    if arguments.json:
        page.write_json({"commits": history.commits, "events": payloads})
        return OK
    for commit in (commit for payload in payloads for commit in payload["commits"]):
        subject = commit["message"].split("\n")[0]
        changed = f"+{commit['insertions']} -{commit['deletions']}"
        page.write(
            page.one_line(f"{commit['sha'][:10]}  {commit['date'][:10]}  {changed:<12}  {subject}", page.width())
        )
    of_all = page.counted(history.commits, "commit")
    page.note(f"{_told(payloads)} of {of_all} would be told, in {page.counted(len(payloads), 'event')}")
    return OK


def _told_project(arguments: argparse.Namespace) -> str:
    """The project whose ledger says what was told before; the server is asked only where a name must be looked up."""
    named = desk.find_project(arguments)
    if named is None or desk.is_id(named):
        return named or ""
    with desk.open_client() as client:
        return desk.project_named(client, named)


def _send(arguments: argparse.Namespace) -> int:
    with desk.open_client() as client:
        project = desk.get_project(arguments, client)
        history = commits.backfill(os.getcwd(), project, arguments.since, None, arguments.limit)
        try:
            sent = _tell(client, project, history)
        finally:
            page.progress_ends()
    told, events = sent.commits, sent.events
    if arguments.json:
        page.write_json({"commits": history.commits, "told": told, "events": events, "duplicates": sent.known})
        return OK
    before = history.commits - told
    rest = f"; {before} {'was' if before == 1 else 'were'} told before" if before else ""
    page.write(f"{page.counted(told, 'commit')} told in {page.counted(events, 'event')}{rest}")
    if sent.session:
        page.note(f"turn them into memory with: loremark enrich {sent.session}")
    return OK


def _tell(client: Client, project: str, history: commits.Backfill) -> _Sent:
    """Event by event; what was told is remembered at once, so that it can go on after an interruption."""
    sent = _Sent()
    for piece in history.pieces:
        if piece.payload is not None:
            answer = client.send(tell_event(project, commits.EVENT, piece.payload))
            told = sent.commits + len(piece.payload["commits"])
            session = sent.session if answer.duplicate else answer.session_id
            sent = _Sent(told, sent.events + 1, sent.known + bool(answer.duplicate), session)
            page.progress(f"{told} of {page.counted(history.commits, 'commit')}")
        gitledger.add(history.ledger, piece.told, {})
    if history.commits:
        gitledger.add(history.ledger, {}, {history.branch: history.head})
    return sent


def _told(payloads: list[dict[str, Any]]) -> int:
    return sum(len(payload["commits"]) for payload in payloads)
