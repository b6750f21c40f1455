"""Watching the pipeline at work: its stages as they come and go, and what it found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from loremark.base import clock
from loremark.cli import page
from loremark.cli.kit import Stop
from loremark.client.call import ApiError
from loremark.client.calls.items import list_items
from loremark.client.calls.sessions import enrich, list_jobs, retry

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem
    from loremark.wire.sessions import EnrichmentJob

SECONDS = 600.0
_FIRST_PAUSE_S = 0.1
_LONGEST_PAUSE_S = 2.0
_ENDED = ("completed", "failed", "cancelled")
_MARKS = {"pending": "·", "running": "…", "completed": "✓", "failed": "✗", "skipped": "-"}
_RUNNING_ALREADY = "Enrichment already in progress"


def start(client: Client, session_id: str, *, again: bool = False) -> tuple[str, bool]:
    """Begin, or find the one that is under way: the job, and whether it is new."""
    try:
        return (client.send(retry(session_id)) if again else client.send(enrich(session_id))).job_id, True
    except ApiError as error:
        if error.status != 409 or str(error) != _RUNNING_ALREADY:
            raise
    running = client.send(list_jobs(session_id))
    if not running:
        raise Stop("it is under way, but there is no job to watch")
    return running[0].id, False


def watch(client: Client, session_id: str, job_id: str, seconds: float = SECONDS) -> EnrichmentJob:
    """Until the job has ended; a job that takes longer goes on without us."""
    shown = _Progress()
    ends, pause = clock.monotonic() + seconds, _FIRST_PAUSE_S
    try:
        while True:
            job = next((each for each in client.send(list_jobs(session_id)) if each.id == job_id), None)
            if job is None:
                raise Stop("the job is gone")
            shown.tell(job)
            if job.status in _ENDED:
                return job
            if clock.monotonic() > ends:
                raise Stop(f"it still runs after {seconds:g} s; look again with: loremark sessions show {session_id}")
            clock.pause(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE_S)
    finally:
        shown.end()


def found_by(client: Client, project_id: str, session_id: str, job: EnrichmentJob) -> list[MemoryItem]:
    """The items that came of a job, as far as they are new."""
    newest = client.send(list_items(project_id, limit=200))
    return [item for item in newest if item.source_ref == session_id and item.updated_at >= job.created_at]


class _Progress:
    """One line that is written anew on a terminal; elsewhere a line for each stage that has ended."""

    def __init__(self) -> None:
        self._live = sys.stderr.isatty()
        self._told: set[str] = set()
        self._chars = 0

    def tell(self, job: EnrichmentJob) -> None:
        if self._live:
            line = page.one_line("  ".join(_stage(*each) for each in _stages(job)) or job.status, page.width() - 1)
            sys.stderr.write(f"\r{line:<{self._chars}}")
            sys.stderr.flush()
            self._chars = len(line)
            return
        for name, status, duration in _stages(job):
            if status in ("completed", "failed", "skipped") and name not in self._told:
                self._told.add(name)
                page.note(_stage(name, status, duration))

    def end(self) -> None:
        if self._live and self._chars:
            sys.stderr.write("\n")


def _stages(job: EnrichmentJob) -> list[tuple[str, str, int | None]]:
    return [(stage.stage, stage.status, stage.duration) for stage in job.pipeline]


def _stage(name: str, status: str, duration: int | None) -> str:
    took = f" {duration / 1000:.1f} s" if duration is not None and status != "pending" else ""
    return f"{_MARKS.get(status, '?')} {name}{took}"
