"""Start an enrichment job, show its progress, and list the items it found."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from loremark.base import clock
from loremark.cli import output
from loremark.cli.framework import CommandError
from loremark.client.call import ApiError
from loremark.client.calls.items import list_items
from loremark.client.calls.sessions import enrich, list_jobs, retry

if TYPE_CHECKING:
    from loremark.client.client import Client
    from loremark.wire.items import MemoryItem
    from loremark.wire.sessions import EnrichmentJob

TIMEOUT_S = 600.0
_FIRST_DELAY_S = 0.1
_MAX_DELAY_S = 2.0
_FINISHED = ("completed", "failed", "cancelled")
_MARKS = {"pending": "·", "running": "…", "completed": "✓", "failed": "✗", "skipped": "-"}
_ALREADY_RUNNING = "Enrichment already in progress"


def start(client: Client, session_id: str, *, again: bool = False) -> tuple[str, bool]:
    """Start a job, or find the running one. Returns its ID and whether it is new."""
    try:
        return (client.send(retry(session_id)) if again else client.send(enrich(session_id))).job_id, True
    except ApiError as error:
        if error.status != 409 or str(error) != _ALREADY_RUNNING:
            raise
    running = client.send(list_jobs(session_id))
    if not running:
        raise CommandError("enrichment is running, but its job was not found; try again")
    return running[0].id, False


def watch(client: Client, session_id: str, job_id: str, seconds: float = TIMEOUT_S, label: str = "") -> EnrichmentJob:
    """Wait until the job has finished. After the timeout the job keeps running.

    With a label, one line of progress stands for several jobs: it starts with the label and disappears at the end.
    """
    progress = _Progress(label)
    deadline, delay = clock.monotonic() + seconds, _FIRST_DELAY_S
    try:
        while True:
            job = next((each for each in client.send(list_jobs(session_id)) if each.id == job_id), None)
            if job is None:
                raise CommandError(f"the job no longer exists; to start a new one, run: loremark enrich {session_id}")
            progress.show(job)
            if job.status in _FINISHED:
                return job
            if clock.monotonic() > deadline:
                raise CommandError(
                    f"still running after {seconds:g} s; check on it with: loremark sessions show {session_id}"
                )
            clock.pause(delay)
            delay = min(delay * 1.5, _MAX_DELAY_S)
    finally:
        progress.end()


def list_found_items(client: Client, project_id: str, session_id: str, job: EnrichmentJob) -> list[MemoryItem]:
    """The items this job created or changed."""
    newest = client.send(list_items(project_id, limit=200))
    return [item for item in newest if item.source_ref == session_id and item.updated_at >= job.created_at]


class _Progress:
    """Redraws one line on a terminal; otherwise prints a line per finished stage."""

    def __init__(self, label: str) -> None:
        self._label = label
        self._is_terminal = sys.stderr.isatty()
        self._printed: set[str] = set()
        self._chars = 0

    def show(self, job: EnrichmentJob) -> None:
        if self._label:
            stages = "  ".join(_stage(*each) for each in _stages(job)) or job.status
            output.progress(output.one_line(self._label + stages, output.width() - 1))
            return
        if self._is_terminal:
            line = output.one_line("  ".join(_stage(*each) for each in _stages(job)) or job.status, output.width() - 1)
            sys.stderr.write(f"\r{line:<{self._chars}}")
            sys.stderr.flush()
            self._chars = len(line)
            return
        for name, status, duration in _stages(job):
            if status in ("completed", "failed", "skipped") and name not in self._printed:
                self._printed.add(name)
                output.note(_stage(name, status, duration))

    def end(self) -> None:
        if self._label:
            output.clear_progress()
        elif self._is_terminal and self._chars:
            sys.stderr.write("\n")


def _stages(job: EnrichmentJob) -> list[tuple[str, str, int | None]]:
    return [(stage.stage, stage.status, stage.duration) for stage in job.pipeline]


def _stage(name: str, status: str, duration: int | None) -> str:
    took = f" {duration / 1000:.1f} s" if duration is not None and status != "pending" else ""
    return f"{_MARKS.get(status, '?')} {name}{took}"
