"""The outbox: batches waiting to be sent, each of them one event for the server.

A batch is written before its records are deleted, and kept until the server has accepted it. Its name is derived from
its records, so the same records always produce the same batch, even after a crash.
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
    """An event with its project, server, session key, and the names of the records it was built from."""

    name: str
    project: str
    url: str
    session: str
    event: str
    payload: dict[str, Any]
    members: list[str]


def batch_name(members: list[str], payload: dict[str, Any]) -> str:
    """Return a name that sorts by time and is stable for the same records and payload."""
    at_ms = min(map(spool.timestamp_ms, members), default=0)
    return f"{at_ms:013d}-{content_hash([sorted(members), payload])}.json"


def content_hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:32]


def write(batch: Batch) -> None:
    """Store the batch durably."""
    data = json.dumps(batch._asdict(), separators=(",", ":")).encode()
    files.write_atomic(os.path.join(files.ensure_private_folder(folder()), batch.name), data)


def list_names() -> list[str]:
    return [name for name in files.list_names(folder()) if name.endswith(".json")]


def read(name: str, where: str | None = None) -> Batch | None:
    data = files.read_bounded(os.path.join(where or folder(), name), BATCH_BYTES)
    try:
        fields = json.loads(data) if data else None
        return Batch(**{**{each: fields[each] for each in Batch._fields}, "name": name}) if fields else None
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def remove(name: str) -> None:
    files.remove(os.path.join(folder(), name))
    files.sync_folder(folder())


def reject(name: str, reason: str) -> None:
    """Move a batch that the server will never accept to the rejected folder, with the reason."""
    where = files.ensure_private_folder(rejected_folder())
    note = json.dumps({"reason": reason[:500], "at": clock.iso(clock.now_ms())}).encode()
    files.write_atomic(os.path.join(where, f"{name}.reason"), note)
    os.rename(os.path.join(folder(), name), os.path.join(where, name))
    files.sync_folder(where)
    files.sync_folder(folder())


def list_rejected() -> list[str]:
    return [name for name in files.list_names(rejected_folder()) if name.endswith(".json")]


def last_reason() -> str:
    """Return why the newest of the rejected batches was rejected, or an empty string."""
    names = list_rejected()
    data = files.read_bounded(os.path.join(rejected_folder(), f"{names[-1]}.reason"), BATCH_BYTES) if names else None
    try:
        return str(json.loads(data)["reason"]) if data else ""
    except (ValueError, RecursionError, KeyError, TypeError):
        return ""


def retry_rejected() -> int:
    """Move rejected batches back to the outbox and return their number. Unreadable ones stay."""
    count = 0
    for name in list_rejected():
        batch = read(name, rejected_folder())
        if batch is None or not batch.url:
            continue
        os.rename(os.path.join(rejected_folder(), name), os.path.join(files.ensure_private_folder(folder()), name))
        files.remove(os.path.join(rejected_folder(), f"{name}.reason"))
        count += 1
    return count


def folder() -> str:
    return os.path.join(spool.folder(), "outbox")


def rejected_folder() -> str:
    return os.path.join(spool.folder(), "rejected")
