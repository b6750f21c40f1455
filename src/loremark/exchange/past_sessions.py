"""Find the sessions that coding agents have kept on this machine for a folder."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from loremark.exchange import claude_code, codex
from loremark.exchange.files import find_files, is_regular_file, read_records, text_of

TITLES = {claude_code.TOOL: "Claude Code", codex.TOOL: "Codex CLI"}
"""The agents whose sessions can be read."""
_HEAD_RECORDS = 50
_ENCODED_CHARS = 150
"""Claude Code shortens the folder names of very long paths."""


class PastSession(NamedTuple):
    """A transcript. ``tool`` names its reader, ``id`` is the agent's name for the session."""

    tool: str
    id: str
    file: Path
    size: int
    modified_ms: int

    @property
    def key(self) -> str:
        return f"{self.tool}:{self.id}"


def find(folders: Sequence[str], home: str, variables: Mapping[str, str]) -> list[PastSession]:
    """The sessions that were started in one of these folders or below, the last used first."""
    claude = Path(variables.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude"), "projects")
    rollouts = Path(variables.get("CODEX_HOME") or os.path.join(home, ".codex"))
    found = {
        session.key: session
        for sessions in (_find_claude(claude, folders), _find_codex(rollouts, folders))
        for session in sessions
    }
    return sorted(found.values(), key=lambda session: (session.modified_ms, session.key), reverse=True)


def list_unreadable(folder: str, home: str, variables: Mapping[str, str]) -> list[str]:
    """The titles of other agents that have kept sessions here; there is no reader for them yet."""
    data = variables.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    places: dict[str, tuple[str, ...]] = {
        "Gemini CLI": (os.path.join(variables.get("GEMINI_CLI_HOME") or home, ".gemini", "tmp"),),
        "GitHub Copilot CLI": (
            os.path.join(variables.get("COPILOT_HOME") or os.path.join(home, ".copilot"), "session-state"),
        ),
        "opencode": (
            os.path.join(data, "opencode", "storage", "session"),
            os.path.join(data, "opencode", "opencode.db"),
        ),
        "Cline": (os.path.join(home, ".cline", "data", "tasks"), os.path.join(home, ".cline", "data", "sessions")),
        "SpecStory": (os.path.join(folder, ".specstory", "history"),),
    }
    return [title for title, paths in places.items() if any(map(_has_content, paths))]


def _has_content(path: str) -> bool:
    try:
        return bool(os.listdir(path)) if os.path.isdir(path) else os.path.isfile(path)
    except OSError:
        return False


def _find_claude(projects: Path, folders: Sequence[str]) -> Iterator[PastSession]:
    """Claude Code keeps one folder per working folder, named after its path."""
    prefixes = [re.sub(r"[^A-Za-z0-9]", "-", folder)[:_ENCODED_CHARS] for folder in folders]
    try:
        names = sorted(name for name in os.listdir(projects) if name.startswith(tuple(prefixes)))
    except OSError:
        return
    for name in names:
        place = projects / name
        for file in sorted(place.glob("*.jsonl")) if place.is_dir() and not place.is_symlink() else ():
            if is_regular_file(file):
                yield from _session(claude_code.TOOL, file, _claude_head, folders)


def _find_codex(home: Path, folders: Sequence[str]) -> Iterator[PastSession]:
    """Codex keeps all sessions by date; their first line names the working folder."""
    for name in ("sessions", "archived_sessions"):
        for file in find_files(home / name, ".jsonl"):
            yield from _session(codex.TOOL, file, _codex_head, folders)


def _session(
    tool: str, file: Path, read_head: Callable[[Path], tuple[str, str]], folders: Sequence[str]
) -> Iterator[PastSession]:
    try:
        working_folder, session_id = read_head(file)
        info = os.stat(file)
    except OSError:
        return
    if any(working_folder == folder or working_folder.startswith(folder + os.sep) for folder in folders):
        yield PastSession(tool, session_id or file.stem, file, info.st_size, info.st_mtime_ns // 1_000_000)


def _claude_head(file: Path) -> tuple[str, str]:
    for record in islice(read_records(file), _HEAD_RECORDS):
        if folder := text_of(record.get("cwd")):
            return folder, text_of(record.get("sessionId"))
    return "", ""


def _codex_head(file: Path) -> tuple[str, str]:
    for record in islice(read_records(file), 1):
        payload = record.get("payload")
        if record.get("type") == "session_meta" and isinstance(payload, dict):
            return text_of(payload.get("cwd")), text_of(payload.get("id"))
    return "", ""
