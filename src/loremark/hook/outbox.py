"""Batches on their way: each is one event for the server, written before its records go, kept until it was taken.

The name of a batch comes from its records, so that the same records make the same batch, whatever was interrupted.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, NamedTuple

from loremark.base import clock
from loremark.hook import files, spool

BATCH_BYTES = 6 << 20


class Batch(NamedTuple):
    """An event, the project and the server it is for, the records it stands for, and whose session it belongs to."""

    name: str
    project: str
    url: str
    session: str
    event: str
    payload: dict[str, Any]
    members: list[str]


def name_of(members: list[str], payload: dict[str, Any]) -> str:
    """In order of time; the same for the same records and words."""
    at_ms = min(map(spool.time_of, members), default=0)
    return f"{at_ms:013d}-{mark_of([sorted(members), payload])}.json"


def mark_of(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def keep(batch: Batch) -> None:
    """Durable when it returns."""
    data = json.dumps(batch._asdict(), separators=(",", ":")).encode()
    files.write_whole(os.path.join(files.private_folder(folder()), batch.name), data)


def list_names() -> list[str]:
    return [name for name in files.list_names(folder()) if name.endswith(".json")]


def read(name: str, where: str | None = None) -> Batch | None:
    data = files.read_bounded(os.path.join(where or folder(), name), BATCH_BYTES)
    try:
        told = json.loads(data) if data else None
        return Batch(**{**{each: told[each] for each in Batch._fields}, "name": name}) if told else None
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def remove(name: str) -> None:
    files.remove(os.path.join(folder(), name))
    files.sync_folder(folder())


def refuse(name: str, reason: str) -> None:
    """Put a batch aside that the server will never take; nothing is dropped."""
    where = files.private_folder(refused_folder())
    told = json.dumps({"reason": reason[:500], "at": clock.iso(clock.now_ms())}).encode()
    files.write_whole(os.path.join(where, f"{name}.reason"), told)
    os.rename(os.path.join(folder(), name), os.path.join(where, name))
    files.sync_folder(where)
    files.sync_folder(folder())


def retry_refused() -> int:
    """Put what was refused back among what is to be sent; how many."""
    names = [name for name in files.list_names(refused_folder()) if name.endswith(".json")]
    for name in names:
        os.rename(os.path.join(refused_folder(), name), os.path.join(files.private_folder(folder()), name))
        files.remove(os.path.join(refused_folder(), f"{name}.reason"))
    return len(names)


def folder() -> str:
    return os.path.join(spool.folder(), "outbox")


def refused_folder() -> str:
    return os.path.join(spool.folder(), "refused")
