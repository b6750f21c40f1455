"""What Copilot said last: its hook tells only where the transcript is, which is written a little later."""

from __future__ import annotations

import json
import os

from loremark.base import clock
from loremark.hook import agents, files

_TAIL_BYTES = 524_288
_LATER_MS = 2_000
_FOLDER = ".copilot"


def is_ours(path: str) -> bool:
    """Whether it is a transcript below the person's own folder of that agent, and not a way out of it."""
    if not path.endswith(".jsonl") or "\0" in path:
        return False
    home = os.path.realpath(os.path.expanduser("~"))
    return os.path.realpath(path).startswith(os.path.join(home, _FOLDER) + os.sep)


def last_answer(path: str, since_ms: int, until_ms: int) -> str:
    """The last words of the assistant between two moments; empty where there are none."""
    if not is_ours(path):
        return ""
    since, until = clock.iso(since_ms), clock.iso(until_ms + _LATER_MS)
    for line in reversed((files.read_tail(os.path.realpath(path), _TAIL_BYTES) or b"").split(b"\n")):
        if b"assistant.message" not in line:
            continue
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(told, dict) or told.get("type") != "assistant.message":
            continue
        said = agents.text(told.get("data"), "content")
        if said and since <= agents.text(told, "timestamp") <= until:
            return said
    return ""
