"""Send many events: past commits and notes of other tools."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from loremark.base import clock
from loremark.cli import output
from loremark.client.call import ApiError, Call
from loremark.client.calls.events import send_event
from loremark.client.client import Client
from loremark.exchange.notes import Note, to_event
from loremark.hook import commits, gitledger
from loremark.wire.sessions import EventAccepted

_REJECTED = (400, 413)
_MAX_WAIT_S = 120.0
Progress = Callable[[int], None]
"""Called with the number of commits or notes that were sent so far."""


@dataclass
class Sent:
    """What was sent: commits or notes, the events that were new to the server, and the sessions they belong to."""

    count: int = 0
    new: int = 0
    known: int = 0
    failed: list[str] = field(default_factory=list)
    sessions: dict[str, None] = field(default_factory=dict)

    def add(self, accepted: EventAccepted, count: int = 1) -> None:
        self.count += count
        if accepted.duplicate:
            self.known += 1
        else:
            self.new += 1
            self.sessions[accepted.session_id] = None


def send_notes(
    client: Client, project: str, notes: Iterable[Note], progress: Progress, sent: Sent | None = None
) -> Sent:
    """Send each note as an event. Notes that the server rejects are listed, and the others are sent."""
    sent = sent if sent is not None else Sent()
    for note in notes:
        event = to_event(note)
        try:
            sent.add(_send(client, send_event(project, event.event, event.payload)))
        except ApiError as error:
            if error.status not in _REJECTED:
                raise
            sent.failed.append(f"{note.origin}: {error}")
        progress(sent.count + len(sent.failed))
    return sent


def send_history(
    client: Client, project: str, history: commits.Backfill, progress: Progress, sent: Sent | None = None
) -> Sent:
    """Send commits, event by event. Each is recorded right away, so an interrupted run can resume."""
    sent = sent if sent is not None else Sent()
    for digest in history.digests:
        if digest.payload is not None:
            accepted = _send(client, send_event(project, commits.EVENT, digest.payload))
            sent.add(accepted, len(digest.payload["commits"]))
            progress(sent.count)
        gitledger.add(history.ledger, digest.reported, {})
    if history.commits:
        gitledger.add(history.ledger, {}, {history.branch: history.head})
    return sent


def _send(client: Client, call: Call[EventAccepted]) -> EventAccepted:
    """Send an event; if the server limits requests, wait until it accepts more."""
    while True:
        try:
            return client.send(call)
        except ApiError as error:
            wait_s = error.retry_after_s
            if error.status != 429 or wait_s is None or wait_s > _MAX_WAIT_S:
                raise
            output.progress(f"The server limits requests. Continuing in {wait_s:.0f} s…")
            clock.pause(wait_s)
