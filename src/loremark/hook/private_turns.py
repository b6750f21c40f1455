"""Turns that the user keeps private: their prompt starts with a prefix, and nothing of them is captured.

A marker file per session tells the hook's later runs that the turn is private. It contains no text of the turn.
"""

from __future__ import annotations

import os

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.hook import agents, capture_settings, files, record, spool

TYPE_CHECKING = False  # importing typing would slow the hook down
if TYPE_CHECKING:
    from typing import Any

    from loremark.hook.link import Link

# Hooks can be installed in two places, so the event that ends a turn can arrive twice.
_REPEAT_MS = 10 * clock.SECOND_MS
_ENDED = b"ended"
_MARKER_BYTES = 100


def is_private(agent: str, kind: str, payload: dict[str, Any], link: Link) -> bool:
    """Return whether this event must not be recorded, and remember where a private turn starts and ends."""
    marker = _marker_path(agent, payload)
    if kind == spool.PROMPT or payload.get("type") == "agent-turn-complete":
        has_prefix = _has_prefix(record.prompt_text(agent, payload), link.folder)
        if kind != spool.PROMPT:
            return has_prefix or _is_marked(marker)
        if has_prefix:
            files.ensure_private_folder(os.path.dirname(marker))
            files.write_atomic(marker, b"")
        else:
            files.remove(marker)
        return has_prefix
    if not _is_marked(marker):
        return False
    if kind == spool.SESSION_END:
        files.remove(marker)
        return False  # it has no text, and the earlier turns of the session are now complete
    if kind == spool.TURN_END:
        files.write_atomic(marker, _ENDED)
    return True


def folder() -> str:
    """Return the folder of the markers."""
    return os.path.join(state_folder(), "private")


def _has_prefix(prompt: str, folder: str) -> bool:
    prefix = capture_settings.private_prefix(folder).casefold()
    return bool(prefix) and prompt.lstrip()[: 2 * len(prefix)].casefold().startswith(prefix)


def _is_marked(marker: str) -> bool:
    """Return whether a private turn is open or ended just now."""
    content = files.read_bounded(marker, _MARKER_BYTES)
    if content != _ENDED:
        return content is not None
    if clock.now_ms() - os.stat(marker).st_mtime_ns // 1_000_000 < _REPEAT_MS:
        return True
    files.remove(marker)
    return False


def _marker_path(agent: str, payload: dict[str, Any]) -> str:
    session = record.sanitize_name(agents.session_id(payload)) or "unknown"
    return os.path.join(folder(), f"{agent} {session}".encode("utf-8", "replace").hex()[:200])
