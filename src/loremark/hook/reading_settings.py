"""Whether this person's coding agent reads finished sessions, and what it has used; in ``reading.json``."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple

from loremark.base import clock
from loremark.base.folders import config_folder, state_folder
from loremark.hook import files

CALLS_PER_DAY = 40
TOKENS_PER_DAY = 1_000_000
_MAX_BYTES = 65_536
_RETRY_MS = 30 * clock.MINUTE_MS


class ReadingSettings(NamedTuple):
    """``agent``: which agent to ask; empty for the one whose session it is. ``model``: empty for a small one."""

    enabled: bool = False
    agent: str = ""
    model: str = ""
    calls_per_day: int = CALLS_PER_DAY
    tokens_per_day: int = TOKENS_PER_DAY


class Outcome(NamedTuple):
    """The last reading: when, by which agent, why it failed, and the use of the day."""

    at_ms: int | None
    agent: str
    error: str
    calls_today: int
    tokens_today: int


def load() -> ReadingSettings:
    """Return the saved settings. Without a valid file, reading is off."""
    saved = _read(_settings_path())
    default = ReadingSettings()
    return ReadingSettings(
        saved.get("enabled") is True,
        _text(saved.get("agent")),
        _text(saved.get("model")),
        _number(saved.get("callsPerDay"), default.calls_per_day),
        _number(saved.get("tokensPerDay"), default.tokens_per_day),
    )


def is_decided() -> bool:
    """Return whether the person has turned reading on or off before."""
    return "enabled" in _read(_settings_path())


def save(settings: ReadingSettings) -> str:
    """Write the settings and return their path."""
    path = _settings_path()
    files.ensure_private_folder(os.path.dirname(path))
    value = {
        "enabled": settings.enabled,
        "agent": settings.agent,
        "model": settings.model,
        "callsPerDay": settings.calls_per_day,
        "tokensPerDay": settings.tokens_per_day,
    }
    files.write_atomic(path, json.dumps(value, indent=2).encode() + b"\n")
    return path


def save_outcome(agent: str, error: str, calls_today: int, tokens_today: int) -> None:
    """Save the outcome for ``loremark doctor``. Failing to save it is not an error."""
    value = {"atMs": clock.now_ms(), "agent": agent, "error": error, "calls": calls_today, "tokens": tokens_today}
    try:
        files.ensure_private_folder(state_folder())
        files.write_atomic(_outcome_path(), json.dumps(value).encode())
    except OSError:
        return


def last_outcome() -> Outcome:
    saved = _read(_outcome_path())
    at_ms = saved.get("atMs")
    is_today = isinstance(at_ms, int) and at_ms // clock.DAY_MS == clock.now_ms() // clock.DAY_MS  # in UTC
    return Outcome(
        at_ms if isinstance(at_ms, int) else None,
        _text(saved.get("agent")),
        _text(saved.get("error")),
        _number(saved.get("calls"), 0) if is_today else 0,
        _number(saved.get("tokens"), 0) if is_today else 0,
    )


def has_just_failed(agent: str) -> bool:
    """Return whether this agent failed a short while ago. It would most likely fail again."""
    last = last_outcome()
    return bool(last.error) and last.agent == agent and clock.now_ms() - (last.at_ms or 0) < _RETRY_MS


def _settings_path() -> str:
    return os.path.join(config_folder(), "reading.json")


def _outcome_path() -> str:
    return os.path.join(state_folder(), "reading-outcome.json")


def _read(path: str) -> dict[str, Any]:
    data = files.read_bounded(path, _MAX_BYTES)
    try:
        saved = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return saved if isinstance(saved, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _number(value: Any, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default
