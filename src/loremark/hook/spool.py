"""The spool: captured records on disk, one file each, until the flusher batches them.

Records are written atomically and durably (``files.write_atomic``) before ``put`` returns. Each writer creates its own
file, so any number can write at the same time. File names start with the time, so they sort in order, and end in the
kind, so low-priority records can be found without reading them.

A record is a JSON object with ``kind`` (one of ``KINDS``), ``project``, ``url`` (of the target server), ``agent``,
``session`` and fields of that kind. ``event`` is a complete event, sent as is, with ``event`` (the ingest event's name)
and ``payload``. ``unresolved_folder`` asks the flusher to find out which project a ``folder`` belongs to.
"""

from __future__ import annotations

import itertools
import json
import os

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import files

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]
else:
    Record = dict

SESSION_START = "session_start"
PROMPT = "prompt"
TOOL = "tool"
ANSWER = "answer"
TURN_END = "turn_end"
COMPACT = "compact"
SESSION_END = "session_end"
EVENT = "event"
UNRESOLVED_FOLDER = "unresolved_folder"
# The repository's state when a git hook ran; ``commits`` turns it into events later.
GIT_HOOKS = frozenset(("post-commit", "post-rewrite", "post-merge"))
KINDS = frozenset(
    (SESSION_START, PROMPT, TOOL, ANSWER, TURN_END, COMPACT, SESSION_END, EVENT, UNRESOLVED_FOLDER, *GIT_HOOKS)
)
# Kinds that end a turn: the flusher batches everything before them.
TURN_BOUNDARIES = frozenset((TURN_END, COMPACT, SESSION_END))
# Kinds that a flusher still handles before it exits.
URGENT = frozenset((*TURN_BOUNDARIES, EVENT, UNRESOLVED_FOLDER, *GIT_HOOKS))
RECORD_BYTES = 3 << 20
# Statuses of an unavailable server (0: no connection): events are queued instead.
UNAVAILABLE_STATUSES = (0, 502, 503, 504)
_count = itertools.count()  # keeps the order of records within a millisecond


class SpoolError(ValueError):
    """The record is invalid or too large."""


def folder() -> str:
    return os.path.join(state_folder(), "spool")


def records_folder() -> str:
    return os.path.join(folder(), "records")


def put(record: Record, *, clean: bool = False) -> str:
    """Store a record durably and return its name. ``clean``: already redacted. Raises OSError, SpoolError."""
    kind = record.get("kind")
    if kind not in KINDS:
        raise SpoolError(f"unknown record kind: {kind!r}")
    if not clean:
        from loremark.base.redaction.redactor import redact_payload  # lazy: hook records are already redacted

        record = redact_payload(record)[0]
    at_ms = clock.now_ms()
    # ASCII JSON, so a lone surrogate can't make the write fail.
    data = json.dumps({"at_ms": at_ms, **record}, separators=(",", ":")).encode()
    if len(data) > RECORD_BYTES:
        raise SpoolError("record too large")
    name = f"{at_ms:013d}-{next(_count):06d}-{os.urandom(6).hex()}.{kind}"
    where = files.ensure_private_folder(records_folder())
    files.write_atomic(os.path.join(where, name), data)
    return name


def put_event(project: str, url: str, agent: str, event: str, payload: Record, *, clean: bool = False) -> str:
    """Store a complete event that could not be sent, like ``put``."""
    record = {"project": project, "url": url, "agent": agent, "session": "", "event": event, "payload": payload}
    return put({"kind": EVENT, **record}, clean=clean)


def list_names() -> list[str]:
    """List the names of all records, oldest first."""
    return [name for name in files.list_names(records_folder()) if kind_of(name) in KINDS]


def kind_of(name: str) -> str:
    return name.rpartition(".")[2]


def timestamp_ms(name: str) -> int:
    """Return the time encoded in a record's name, or 0."""
    digits = name[:13]
    return int(digits) if digits.isdecimal() else 0


def read(name: str) -> Record | None:
    """Return the record, or None if it is missing or invalid."""
    data = files.read_bounded(os.path.join(records_folder(), name), RECORD_BYTES)
    if data is None:
        return None
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("kind") in KINDS else None


def remove(names: list[str]) -> None:
    """Delete the records durably."""
    where = records_folder()
    for name in names:
        files.remove(os.path.join(where, name))
    if names and os.path.isdir(where):
        files.sync_folder(where)
