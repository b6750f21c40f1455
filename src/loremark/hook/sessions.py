"""What the flusher knows of each agent's session: the server's session it went to, and what was told already."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from loremark.base import clock
from loremark.hook import files, spool
from loremark.hook.spool import Record

_BYTES = 1 << 20
_MOST_SEEN = 64
_SAME_MS = 10 * clock.SECOND_MS
_KEPT_MS = 14 * clock.DAY_MS
_IDLE_MS = 30 * clock.MINUTE_MS
_SAID_ONCE = frozenset((spool.PROMPT, spool.TOOL, spool.ANSWER, spool.TURN_END))


def key_of(record: Record) -> str:
    """Names a session of one agent in one project on one server."""
    parts = [str(record.get(name, "")) for name in ("url", "project", "agent", "session")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def family_of(record: Record) -> str:
    """Names all sessions of one agent in one project on one server."""
    return key_of({**record, "session": ""})


def end_others(record: Record) -> None:
    """A new session of an agent that tells no ends: those before it are over."""
    family, key = family_of(record), key_of(record)
    for name in files.list_names(folder()):
        other = name.removesuffix(".json")
        state = read(other)
        if other != key and state.get("family") == family and state.get("pending"):
            write(other, {**state, "ended": True})


def read(key: str) -> dict[str, Any]:
    data = files.read_bounded(_path(key), _BYTES)
    try:
        state = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def write(key: str, state: dict[str, Any]) -> None:
    files.private_folder(folder())
    files.write_whole(_path(key), json.dumps({**state, "at_ms": clock.now_ms()}).encode())


def list_due() -> list[str]:
    """The sessions that were told something since they were last enriched, and have ended or been left."""
    now_ms = clock.now_ms()
    found: list[str] = []
    for name in files.list_names(folder()):
        key = name.removesuffix(".json")
        state = read(key)
        age_ms = now_ms - _number(state.get("at_ms"))
        if age_ms > _KEPT_MS:
            files.remove(_path(key))
        elif state.get("pending") and (state.get("ended") or age_ms > _IDLE_MS):
            found.append(key)
    return found


def fresh(state: dict[str, Any], names: list[str], records: list[Record]) -> tuple[list[bool], list[list[Any]]]:
    """Which records tell something new, and what is then to be remembered as told.

    An agent that runs another agent's hooks as well tells everything twice. What is remembered carries the name of
    the record that told it first, so that work taken up again after a crash does not take itself for a repetition.
    """
    seen = [entry for entry in state.get("seen", []) if isinstance(entry, list) and len(entry) == 3]
    is_new: list[bool] = []
    for name, record in zip(names, records, strict=True):
        mark = _mark(record) if record["kind"] in _SAID_ONCE else ""
        at_ms = spool.time_of(name)
        told = [entry for entry in seen if mark and entry[0] == mark and entry[1] < name]
        again = any(record.get("turn") or record.get("tool_id") or at_ms - _number(e[2]) < _SAME_MS for e in told)
        is_new.append(not again)
        if mark and not again and not any(entry[1] == name for entry in seen):
            seen.append([mark, name, at_ms])
    return is_new, seen[-_MOST_SEEN:]


def _mark(record: Record) -> str:
    parts = [record["kind"], record.get("turn", ""), record.get("tool_id", "")]
    if not record.get("tool_id"):
        parts += [record.get("text", ""), record.get("tool", "").lower(), record.get("input", ""), record.get("files")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def folder() -> str:
    return os.path.join(spool.folder(), "sessions")


def _path(key: str) -> str:
    return os.path.join(folder(), f"{key}.json")


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
