"""Remembers the last chat of each project, for ``loremark ask --continue``."""

from __future__ import annotations

import json
import os

from loremark.base.folders import state_folder
from loremark.hook import files

_MAX_BYTES = 1 << 20
_MAX_CHATS = 500
_ID_CHARS = 100


def find_last_chat(url: str, project_id: str) -> str | None:
    """The ID of the last chat in this project."""
    found = _read().get(_name(url, project_id))
    return found if isinstance(found, str) and 0 < len(found) <= _ID_CHARS else None


def remember_chat(url: str, project_id: str, chat_id: str) -> None:
    known = _read()
    known.pop(_name(url, project_id), None)
    known[_name(url, project_id)] = chat_id[:_ID_CHARS]
    recent = dict(list(known.items())[-_MAX_CHATS:])
    files.ensure_private_folder(state_folder())
    files.write_atomic(_path(), json.dumps(recent, indent=1).encode())


def _name(url: str, project_id: str) -> str:
    return f"{url} {project_id}"


def _path() -> str:
    return os.path.join(state_folder(), "conversations.json")


def _read() -> dict[str, object]:
    data = files.read_bounded(_path(), _MAX_BYTES)
    try:
        known = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
