"""``loremark enrich``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.framework import FAILED, OK, USAGE, CommandError

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem
    from loremark.wire.sessions import EnrichmentJob

SUMMARY = "Extract memories from a session's events."
EXAMPLE = "loremark enrich"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.connection import add_json, add_project

    parser.add_argument(
        "session",
        nargs="?",
        metavar="SESSION",
        help="session ID (default: the newest active one; with --retry, the newest failed one)",
    )
    parser.add_argument("--retry", action="store_true", help="retry a failed session")
    parser.add_argument(
        "--with",
        dest="reader",
        metavar="AGENT",
        help="have this coding agent (such as claude-code or codex) read the session first; also works for sessions "
        "that are already enriched",
    )
    parser.add_argument("--no-wait", action="store_true", help="start the job and exit")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long to wait (default: 600)")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import enrichment_watcher, output
    from loremark.cli.connection import get_project, open_client
    from loremark.client.calls.sessions import get_session

    with open_client() as client:
        if arguments.session:
            session = client.send(get_session(arguments.session))
            session_id, project_id = session.id, session.project_id
        else:
            project_id = get_project(arguments, client)
            session_id = _newest(client, project_id, "failed" if arguments.retry else "active")
        job_id = read_with(arguments.reader, session_id) if arguments.reader else ""
        is_new = bool(job_id)
        if not job_id:
            job_id, is_new = enrichment_watcher.start(client, session_id, again=arguments.retry)
        if not is_new:
            output.note("Enrichment is already running.")
        if arguments.no_wait:
            if arguments.json:
                output.write_json({"sessionId": session_id, "jobId": job_id})
            else:
                output.write(output.one_line(f"Enriching {session_id}"))
            return OK
        job = enrichment_watcher.watch(client, session_id, job_id, arguments.seconds)
        return print_result(
            session_id,
            job,
            enrichment_watcher.list_found_items(client, project_id, session_id, job),
            as_json=arguments.json,
        )


def read_with(agent: str, session_id: str) -> str:
    """Have an agent read a session, and return the job. If it fails, say why; the built-in engine does its work."""
    from loremark.cli import output
    from loremark.hook import headless, reading

    if agent not in headless.SUPPORTED:
        raise CommandError(f"unknown agent {agent!r}; choose from: {', '.join(sorted(headless.SUPPORTED))}", USAGE)
    name = headless.title(agent)
    output.note(f"{name} is reading {session_id}. This can take a few minutes.")
    result = reading.read_session(session_id, agent, again=True)
    if result.status != "read":
        reason = f": {result.reason.rstrip('.')}" if result.reason else ""
        output.note(output.one_line(f"{name} did not read the session{reason}. Enriching it on the server instead."))
    return result.job_id


def print_result(session_id: str, job: EnrichmentJob, items: list[MemoryItem], *, as_json: bool) -> int:
    """Print the result and return the exit code."""
    from loremark.cli import draft_hints, output, rendering

    warning = job.warning if isinstance(job.warning, str) else ""
    if as_json:
        output.write_json({"sessionId": session_id, "job": job, "items": items})
    else:
        rendering.list_items(items)
    if warning:
        output.note(output.one_line(warning, 500))
    if job.status != "completed":
        outcome = "was cancelled" if job.status == "cancelled" else job.status
        output.note(f"The job {outcome}. To retry, run: loremark enrich {session_id} --retry")
        return FAILED
    if not as_json:
        output.note(f"{output.pluralize(job.items_extracted, 'item')} found in {session_id}")
        if hint := draft_hints.drafts_hint(sum(item.status == "draft" for item in items)):
            output.note(hint)
    return OK


def _newest(client: Client, project_id: str, status: str) -> str:
    from loremark.client.calls.sessions import list_sessions

    found = client.send(list_sessions(project_id, status=status, limit=1))
    if not found:
        raise CommandError(f"no {status} session in this project (see: loremark sessions list)")
    return found[0].id
