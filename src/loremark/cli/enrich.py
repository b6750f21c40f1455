"""``loremark enrich``."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from loremark.cli.kit import FAILED, OK, Stop

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem
    from loremark.wire.sessions import EnrichmentJob

SUMMARY = "Turn a session's events into memory, and watch it happen."
EXAMPLE = "loremark enrich"


def declare(parser: argparse.ArgumentParser) -> None:
    from loremark.cli.desk import add_json, add_project

    parser.add_argument("session", nargs="?", metavar="SESSION", help="else the newest active one of the project")
    parser.add_argument("--retry", action="store_true", help="go on with a session that has failed")
    parser.add_argument("--no-wait", action="store_true", help="begin, and leave it to itself")
    parser.add_argument("--seconds", type=float, default=600.0, help="how long to wait (600)")
    add_project(parser)
    add_json(parser)


def run(arguments: argparse.Namespace) -> int:
    from loremark.cli import page, watching
    from loremark.cli.desk import get_project, open_client
    from loremark.client.calls.sessions import get_session

    with open_client() as client:
        if arguments.session:
            session = client.send(get_session(arguments.session))
            session_id, project_id = session.id, session.project_id
        else:
            project_id = get_project(arguments, client)
            session_id = _newest(client, project_id, "failed" if arguments.retry else "active")
        job_id, is_new = watching.start(client, session_id, again=arguments.retry)
        if not is_new:
            page.note("it is under way already")
        if arguments.no_wait:
            if arguments.json:
                page.write_json({"sessionId": session_id, "jobId": job_id})
            else:
                page.write(page.one_line(f"{session_id} is being enriched"))
            return OK
        job = watching.watch(client, session_id, job_id, arguments.seconds)
        return tell(session_id, job, watching.found_by(client, project_id, session_id, job), as_json=arguments.json)


def tell(session_id: str, job: EnrichmentJob, items: list[MemoryItem], *, as_json: bool) -> int:
    """What became of it, and the exit code."""
    from loremark.cli import cards, page, waiting

    warning = job.warning if isinstance(job.warning, str) else ""
    if as_json:
        page.write_json({"sessionId": session_id, "job": job, "items": items})
    else:
        cards.list_items(items)
    if warning:
        page.note(page.one_line(warning, 500))
    if job.status != "completed":
        page.note(f"it {job.status}; try again with: loremark enrich {session_id} --retry")
        return FAILED
    if not as_json:
        page.note(f"{job.items_extracted} found in {session_id}")
        if hint := waiting.told(sum(item.status == "draft" for item in items)):
            page.note(hint)
    return OK


def _newest(client: Client, project_id: str, status: str) -> str:
    from loremark.client.calls.sessions import list_sessions

    found = client.send(list_sessions(project_id, status=status, limit=1))
    if not found:
        raise Stop(f"there is no {status} session in this project (see: loremark sessions list)")
    return found[0].id
