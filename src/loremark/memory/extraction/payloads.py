"""Reads payloads that may contain anything: bounded copies, and fields with the expected type."""

from __future__ import annotations

import math
from typing import Any

from loremark.memory.items import RawEvent

TEXT_CHARS = 120_000
DIFF_CHARS = 80_000
_STRING_CHARS = 60_000
_DIFF_STRING_CHARS = 20_000
_LEVELS = 8
_ENTRIES = 1_000
_VALUES = 20_000
_DIFF_FIELDS = frozenset(("diff", "patch"))
# Identifiers, not prose: nothing is quoted from them.
_NOT_TEXT = frozenset(
    (
        "nonce",
        "sha",
        "headCommitSha",
        "baseCommitSha",
        "commitSha",
        "blobSha",
        "hash",
        "tree",
        "parents",
        "date",
        "source",
        "author",
        "committer",
        "sessionId",
        "eventId",
        "timestamp",
    )
)


class _Budget:
    """How much may still be read."""

    def __init__(self) -> None:
        self.text_chars = TEXT_CHARS
        self.diff_chars = DIFF_CHARS
        self.values = _VALUES

    def take(self, text: str, *, is_diff: bool) -> str:
        if is_diff:
            taken = text[: min(_DIFF_STRING_CHARS, self.diff_chars)]
            self.diff_chars -= len(taken)
        else:
            taken = text[: min(_STRING_CHARS, self.text_chars)]
            self.text_chars -= len(taken)
        return taken


def truncate_event(event: RawEvent) -> RawEvent:
    """The event with bounded text, depth and entries. Texts are truncated, never changed."""
    payload = event.payload if isinstance(event.payload, dict) else {}
    copy = _bounded(payload, _Budget(), level=0, is_diff=False)
    return RawEvent(event.id, event.event, copy, event.actor_id)


def _bounded(value: Any, budget: _Budget, *, level: int, is_diff: bool) -> Any:
    budget.values -= 1
    if isinstance(value, str):
        return budget.take(value, is_diff=is_diff)
    if isinstance(value, dict):
        copy: dict[str, Any] = {}
        if level < _LEVELS:
            for name, inner in list(value.items())[:_ENTRIES]:
                if budget.values <= 0:
                    break
                if isinstance(name, str):
                    copy[name[:200]] = _bounded(inner, budget, level=level + 1, is_diff=is_diff or name in _DIFF_FIELDS)
        return copy
    if isinstance(value, list | tuple):
        copied: list[Any] = []
        if level < _LEVELS:
            for inner in value[:_ENTRIES]:
                if budget.values <= 0:
                    break
                copied.append(_bounded(inner, budget, level=level + 1, is_diff=is_diff))
        return copied
    return value if isinstance(value, bool | int | float) else None


def event_texts(event: RawEvent) -> list[str]:
    """All texts of an event that a quote may come from, bounded, in payload order."""
    found: list[str] = []
    _gather(truncate_event(event).payload, found)
    return found


def _gather(value: Any, found: list[str]) -> None:
    if isinstance(value, str):
        if value.strip():
            found.append(value)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if name not in _NOT_TEXT:
                _gather(inner, found)
    elif isinstance(value, list):
        for inner in value:
            _gather(inner, found)


def as_text(value: Any) -> str:
    """A string, or an empty one for any other value."""
    return value if isinstance(value, str) else ""


def first_text(holder: Any, *names: str) -> str:
    """The first of these fields that contains text."""
    if not isinstance(holder, dict):
        return ""
    for name in names:
        found = as_text(holder.get(name))
        if found.strip():
            return found
    return ""


def as_list(value: Any) -> list[Any]:
    """A list as it is; a single object or text as a list of one."""
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict | str) and value else []


def as_number(value: Any) -> float | None:
    """A finite number; booleans do not count."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None
