"""Enrich several sessions and wait for them: after an import, and in ``loremark setup``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, NamedTuple

from loremark.cli import enrichment_watcher, output
from loremark.cli.draft_hints import all_drafts_hint
from loremark.cli.enrichment_watcher import TIMEOUT_S
from loremark.cli.framework import FAILED, OK, CommandError
from loremark.client.call import ApiError
from loremark.client.client import Client


class Enriched(NamedTuple):
    """The outcome of some sessions' enrichment. ``problems`` has a line for each that did not complete."""

    items: int = 0
    finished: tuple[str, ...] = ()
    """The sessions that need no further attempt."""
    warnings: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def add_enrich_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--no-enrich", action="store_true", help="only send; extract memories later with: loremark enrich SESSION"
    )


def enrich_sessions(client: Client, sessions: Sequence[str], seconds: float = TIMEOUT_S) -> Enriched:
    """Extract memories from these sessions and wait, with progress. An interruption does not stop the server's work.

    ``seconds``: how long to wait for each.
    """
    items, finished, warnings, problems = 0, list[str](), dict[str, None](), list[str]()
    started: dict[str, str] = {}
    for session_id in sessions:
        try:
            started[session_id] = _start(client, session_id)
        except ApiError as error:
            if error.status == 404:  # deleted in the meantime
                finished.append(session_id)
            else:
                problems.append(f"{session_id} was not enriched: {error}")
    for number, (session_id, job_id) in enumerate(started.items(), 1):
        label = "Extracting memories: " + (f"{number} of {len(started)}  " if len(started) > 1 else "")
        try:
            job = enrichment_watcher.watch(client, session_id, job_id, seconds, label=label)
        except CommandError as error:  # it takes too long
            problems.append(f"{session_id}: {error}")
            continue
        items += job.items_extracted
        if isinstance(job.warning, str):
            warnings[job.warning] = None
        if job.status == "completed":
            finished.append(session_id)
        else:
            problems.append(f"{session_id} was not enriched; retry with: loremark enrich {session_id} --retry")
    return Enriched(items, tuple(finished), tuple(warnings), tuple(problems))


def _start(client: Client, session_id: str) -> str:
    """Start a job. One that is already running may not include the newest events, so it is waited for first."""
    job_id, is_new = enrichment_watcher.start(client, session_id)
    if not is_new:
        enrichment_watcher.watch(client, session_id, job_id, label="Extracting memories: ")
        job_id, _ = enrichment_watcher.start(client, session_id)
    return job_id


def enrich_sent(
    client: Client,
    project: str,
    sessions: Sequence[str],
    arguments: argparse.Namespace,
    result: dict[str, Any],
    *,
    failed: bool,
) -> int:
    """Enrich the sessions of new events unless ``--no-enrich`` is given, print the result, and return the exit code."""
    done = enrich_sessions(client, [] if arguments.no_enrich else sessions)
    if arguments.json:
        output.write_json({**result, "items": done.items, "problems": done.problems})
    for line in (*done.warnings, *done.problems):
        output.note(output.one_line(line, 500))
    if not arguments.json and sessions:
        if arguments.no_enrich:
            commands = " && ".join(f"loremark enrich {session_id}" for session_id in sessions)
            output.note(f"To extract memories from them, run: {commands}")
        else:
            output.note(f"{output.pluralize(done.items, 'item')} found")
            if hint := all_drafts_hint(client, project):
                output.note(hint)
    return FAILED if failed or done.problems else OK
