"""The flusher's state for each agent session: the server's session ID and what has been sent."""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any

from loremark.base import clock
from loremark.hook import files, spool
from loremark.hook.spool import Record

_STATE_BYTES = 1 << 20
_MAX_SEEN = 64
_REPEAT_MS = 10 * clock.SECOND_MS
_RETENTION_MS = 14 * clock.DAY_MS
_IDLE_MS = 30 * clock.MINUTE_MS
_DEDUPLICATED = frozenset((spool.PROMPT, spool.TOOL, spool.ANSWER, spool.TURN_END))


def session_key(record: Record) -> str:
    """Return the key of one agent session in one project on one server."""
    parts = [str(record.get(name, "")) for name in ("url", "project", "agent", "session")]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def agent_key(record: Record) -> str:
    """Return the key shared by all sessions of one agent in one project on one server."""
    return session_key({**record, "session": ""})


def end_previous(record: Record) -> None:
    """End the agent's earlier sessions when it starts a new one, for agents that don't report the end."""
    group, key = agent_key(record), session_key(record)
    for name in files.list_names(folder()):
        other = name.removesuffix(".json")
        state = read(other)
        if other != key and state.get("agent_key") == group and state.get("pending"):
            write(other, {**state, "ended": True})


def read(key: str) -> dict[str, Any]:
    data = files.read_bounded(_path(key), _STATE_BYTES)
    try:
        state = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def write(key: str, state: dict[str, Any]) -> None:
    files.ensure_private_folder(folder())
    files.write_atomic(_path(key), json.dumps({**state, "at_ms": clock.now_ms()}).encode())


def project_of(state: dict[str, Any]) -> str:
    """Return the project of a session that has been sent."""
    return str(state.get("project", ""))


def list_due() -> list[str]:
    """List sessions that have new events since their last enrichment and are ended or idle."""
    now_ms = clock.now_ms()
    found: list[str] = []
    for name in files.list_names(folder()):
        key = name.removesuffix(".json")
        state = read(key)
        age_ms = now_ms - _number(state.get("at_ms"))
        if age_ms > _RETENTION_MS:
            files.remove(_path(key))
        elif state.get("pending") and (state.get("ended") or age_ms > _IDLE_MS):
            found.append(key)
    return found


def find_new(state: dict[str, Any], names: list[str], records: list[Record]) -> tuple[list[bool], list[list[Any]]]:
    """Return which records are new, and the updated list of seen records.

    An agent that also runs another agent's hooks sends everything twice. Each entry stores the name of the first
    record, so work resumed after a crash is not mistaken for a repeat of itself.
    """
    seen = [entry for entry in state.get("seen", []) if isinstance(entry, list) and len(entry) == 3]
    is_new: list[bool] = []
    for name, record in zip(names, records, strict=True):
        fingerprint = _fingerprint(record) if record["kind"] in _DEDUPLICATED else ""
        at_ms = spool.timestamp_ms(name)
        earlier = [entry for entry in seen if fingerprint and entry[0] == fingerprint and entry[1] < name]
        is_repeat = any(
            record.get("turn") or record.get("tool_id") or at_ms - _number(e[2]) < _REPEAT_MS for e in earlier
        )
        is_new.append(not is_repeat)
        if fingerprint and not is_repeat and not any(entry[1] == name for entry in seen):
            seen.append([fingerprint, name, at_ms])
    return is_new, seen[-_MAX_SEEN:]


def _fingerprint(record: Record) -> str:
    parts = [record["kind"], record.get("turn", ""), record.get("tool_id", "")]
    if not record.get("tool_id"):
        parts += [record.get("text", ""), record.get("tool", "").lower(), record.get("input", ""), record.get("files")]
        if record.get("failed"):  # the same command may succeed next
            parts.append("failed")
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def folder() -> str:
    return os.path.join(spool.folder(), "sessions")


def _path(key: str) -> str:
    return os.path.join(folder(), f"{key}.json")


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
