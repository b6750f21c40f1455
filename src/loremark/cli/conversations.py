"""The last conversation in each project, so that the next question can go on with it."""

from __future__ import annotations

import json
import os

from loremark.base.folders import state_folder
from loremark.hook import files

_MOST_BYTES = 1 << 20
_MOST = 500
_ID_CHARS = 100


def last(url: str, project_id: str) -> str | None:
    """The id of the last one."""
    found = _read().get(_name(url, project_id))
    return found if isinstance(found, str) and 0 < len(found) <= _ID_CHARS else None


def remember(url: str, project_id: str, chat_id: str) -> None:
    known = _read()
    known.pop(_name(url, project_id), None)
    known[_name(url, project_id)] = chat_id[:_ID_CHARS]
    kept = dict(list(known.items())[-_MOST:])
    files.private_folder(state_folder())
    files.write_whole(_path(), json.dumps(kept, indent=1).encode())


def _name(url: str, project_id: str) -> str:
    return f"{url} {project_id}"


def _path() -> str:
    return os.path.join(state_folder(), "conversations.json")


def _read() -> dict[str, object]:
    data = files.read_bounded(_path(), _MOST_BYTES)
    try:
        known = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}
