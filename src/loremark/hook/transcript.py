"""Read Copilot's last answer from its transcript: its hook only passes the path, and the file is written later."""

from __future__ import annotations

import json
import os

from loremark.base import clock
from loremark.hook import agents, files

_TAIL_BYTES = 524_288
_WRITE_DELAY_MS = 2_000
_FOLDER = ".copilot"


def is_copilot_transcript(path: str) -> bool:
    """Return whether the path, with symlinks resolved, is a transcript in ~/.copilot."""
    if not path.endswith(".jsonl") or "\0" in path:
        return False
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.realpath(path).startswith(os.path.join(home, _FOLDER) + os.sep)


def last_answer(path: str, since_ms: int, until_ms: int) -> str:
    """Return the assistant's last message in a time range, or an empty string."""
    if not is_copilot_transcript(path):
        return ""
    since, until = clock.iso(since_ms), clock.iso(until_ms + _WRITE_DELAY_MS)
    for line in reversed((files.read_tail(os.path.realpath(path), _TAIL_BYTES) or b"").split(b"\n")):
        if b"assistant.message" not in line:
            continue
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(entry, dict) or entry.get("type") != "assistant.message":
            continue
        text = agents.first_text(entry.get("data"), "content")
        if text and since <= agents.first_text(entry, "timestamp") <= until:
            return text
    return ""
