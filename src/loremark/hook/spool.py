"""The spool: what happened, one file a record, until the flusher has made a batch of it.

A record is whole or not there: it is written beside its place, synced and moved (``files.write_whole``), and ``put``
returns after that. Any number of writers work at once, since each makes a file of its own. A name begins with the
time, so that names in order are records in order, and ends in the kind, so that details can be told from the rest
without reading them.

A record is a plain object: ``kind`` (one of ``KINDS``), ``project``, ``url`` (the server it is meant for), ``agent``,
``session``, and what the kind has to say. The kind ``event`` is a whole event for the server, sent as it is:
``event`` (the ingest event's name) and ``payload``. ``place`` asks to find out which project a ``folder`` belongs to.
"""

from __future__ import annotations

import itertools
import json
import os

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import files

TYPE_CHECKING = False  # not from typing, which a hook has no time to load
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
PLACE = "place"
# Where a repository stood when one of its hooks ran; what it tells is worked out later (``commits``).
GIT = frozenset(("post-commit", "post-rewrite", "post-merge"))
KINDS = frozenset((SESSION_START, PROMPT, TOOL, ANSWER, TURN_END, COMPACT, SESSION_END, EVENT, PLACE, *GIT))
# What ends a turn: the flusher makes a batch of what came before it.
ENDS = frozenset((TURN_END, COMPACT, SESSION_END))
# What a flusher that is about to end still takes care of.
URGENT = frozenset((*ENDS, EVENT, PLACE, *GIT))
RECORD_BYTES = 3 << 20
# How a server answers that is not there: what was to be told is kept meanwhile.
AWAY = (0, 502, 503, 504)
_count = itertools.count()  # what one process puts within a millisecond stays in its order


class SpoolError(ValueError):
    """A record that cannot be kept as it is."""


def folder() -> str:
    return os.path.join(state_folder(), "spool")


def records_folder() -> str:
    return os.path.join(folder(), "records")


def put(record: Record, *, clean: bool = False) -> str:
    """Keep a record; its name, once it is safe. ``clean``: its secrets are out already. Raises OSError, SpoolError."""
    kind = record.get("kind")
    if kind not in KINDS:
        raise SpoolError(f"no kind of record: {kind!r}")
    if not clean:
        from loremark.base.redaction.redacting import redact_payload  # the hook has its own quick way to it

        record = redact_payload(record)[0]
    at_ms = clock.now_ms()
    # Half a surrogate pair is kept as an escape: no text can make the writing fail.
    data = json.dumps({"at_ms": at_ms, **record}, separators=(",", ":")).encode()
    if len(data) > RECORD_BYTES:
        raise SpoolError("record too large")
    name = f"{at_ms:013d}-{next(_count):06d}-{os.urandom(6).hex()}.{kind}"
    where = files.private_folder(records_folder())
    files.write_whole(os.path.join(where, name), data)
    return name


def put_event(project: str, url: str, agent: str, event: str, payload: Record, *, clean: bool = False) -> str:
    """Keep a whole event that a server did not take over, as ``put`` does."""
    told = {"project": project, "url": url, "agent": agent, "session": "", "event": event, "payload": payload}
    return put({"kind": EVENT, **told}, clean=clean)


def list_names() -> list[str]:
    """The names of all records, the oldest first."""
    return [name for name in files.list_names(records_folder()) if kind_of(name) in KINDS]


def kind_of(name: str) -> str:
    return name.rpartition(".")[2]


def time_of(name: str) -> int:
    """When it was put, in milliseconds; 0 where the name does not tell."""
    digits = name[:13]
    return int(digits) if digits.isdecimal() else 0


def read(name: str) -> Record | None:
    """The record, or None where it is gone or is none."""
    data = files.read_bounded(os.path.join(records_folder(), name), RECORD_BYTES)
    if data is None:
        return None
    try:
        record = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) and record.get("kind") in KINDS else None


def remove(names: list[str]) -> None:
    """All of them are gone when it returns, also after a loss of power."""
    where = records_folder()
    for name in names:
        files.remove(os.path.join(where, name))
    if names and os.path.isdir(where):
        files.sync_folder(where)
