"""Folders in which the user has paused capture. The state is theirs, so it is not in the repository."""

from __future__ import annotations

import json
import os

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import files

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import NamedTuple

    class Pause(NamedTuple):
        """The paused folder and when the pause ends; None if the user has to end it."""

        folder: str
        until_ms: int | None

else:
    from collections import namedtuple

    Pause = namedtuple("Pause", ("folder", "until_ms"))

_FILE_BYTES = 1 << 20


def pause(folder: str, until_ms: int | None) -> Pause:
    """Pause capture in the folder and below."""
    paused = Pause(os.path.realpath(folder), until_ms)
    _write({**_read(), paused.folder: until_ms})
    return paused


def resume(folder: str) -> list[str]:
    """End the pauses that apply to the folder, and return their folders."""
    paused = _read()
    ended = [each for each in paused if _is_inside(os.path.realpath(folder), each)]
    if ended:
        _write({each: until_ms for each, until_ms in paused.items() if each not in ended})
    return ended


def find_pause(folder: str) -> Pause | None:
    """Return the pause that applies to the folder, or None."""
    paused = _read()
    if not paused:
        return None
    folder = os.path.realpath(folder)
    return next((Pause(each, until_ms) for each, until_ms in paused.items() if _is_inside(folder, each)), None)


def is_repository_paused(top: str) -> bool:
    """Return whether capture is paused in this working tree or any folder of it."""
    top = os.path.realpath(top)
    return any(_is_inside(top, each) or _is_inside(each, top) for each in _read())


def _is_inside(folder: str, outer: str) -> bool:
    return folder == outer or folder.startswith(outer.rstrip(os.sep) + os.sep)


def _read() -> dict[str, int | None]:
    """Return the paused folders whose time has not run out."""
    data = files.read_bounded(_path(), _FILE_BYTES)
    try:
        saved = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    now_ms = clock.now_ms()
    paused = saved.items() if isinstance(saved, dict) else ()
    return {
        folder: until_ms
        for folder, until_ms in paused
        if until_ms is None or (isinstance(until_ms, int) and until_ms > now_ms)
    }


def _write(paused: dict[str, int | None]) -> None:
    files.ensure_private_folder(state_folder())
    files.write_atomic(_path(), json.dumps(paused).encode())


def _path() -> str:
    return os.path.join(state_folder(), "paused.json")
