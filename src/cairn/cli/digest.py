"""``cairn digest``: history that was made before cairn was there, told to the server once."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cairn.cli import desk, page
from cairn.cli.kit import OK, USAGE, Stop
from cairn.client.calls.events import tell_event
from cairn.hook import commits, gitledger
from cairn.hook.git import GitFailed

SUMMARY = "Tell the server what the commits of this repository changed."
EXAMPLE = "cairn digest --since v1.0 --limit 500"
_USUAL, _MOST = 200, 5_000


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
        return _preview(arguments) if arguments.dry_run else _send(arguments)
    except GitFailed as failure:
        raise Stop(str(failure)) from None


def _preview(arguments: argparse.Namespace) -> int:
    project = desk.find_project(arguments)
    history = commits.backfill(os.getcwd(), project or "", arguments.since, None, arguments.limit)
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
    page.note(f"{_told(payloads)} of {history.commits} commits would be told, in {len(payloads)} events.")
    return OK


def _send(arguments: argparse.Namespace) -> int:
    told = events = known = 0
    with desk.open_client() as client:
        project = desk.get_project(arguments, client)
        history = commits.backfill(os.getcwd(), project, arguments.since, None, arguments.limit)
        for piece in history.pieces:
            if piece.payload is not None:
                answer = client.send(tell_event(project, commits.EVENT, piece.payload))
                events += 1
                known += bool(answer.duplicate)
                told += len(piece.payload["commits"])
                page.note(f"{told} of at most {history.commits} commits told")
            gitledger.add(history.ledger, piece.told, {})
        if history.commits:
            gitledger.add(history.ledger, {}, {history.branch: history.head})
    if arguments.json:
        page.write_json({"commits": history.commits, "told": told, "events": events, "duplicates": known})
    else:
        before = history.commits - told
        page.write(f"{told} commits told in {events} events" + (f"; {before} were told before" if before else ""))
    return OK


def _told(payloads: list[dict[str, Any]]) -> int:
    return sum(len(payload["commits"]) for payload in payloads)
