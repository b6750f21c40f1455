"""What a server answered last to what agents ask at their start, for when it is away. Light, as the bridge must be."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import Any

from loremark.base.folders import cache_folder
from loremark.hook import files

TOOLS = "tools/list"
METHODS = frozenset(
    ("initialize", "server/discover", TOOLS, "prompts/list", "resources/list", "resources/templates/list")
)
_MOST_BYTES = 1 << 20
_MOST_FILES = 64

Answers = dict[str, Any]


class Kept:
    """Of one server, key and project, by version of the protocol: nobody is shown the answers of another."""

    def __init__(self, url: str, key: str, project: str) -> None:
        self._names = (url, key, project)
        self._lock = threading.Lock()

    def find(self, version: str, method: str) -> dict[str, Any] | None:
        result = self._read(version).get(method) if method in METHODS else None
        return result if isinstance(result, dict) else None

    def note(self, version: str, method: str, result: Any) -> None:
        """Keep an answer, if it is not the one kept already. That it cannot be kept is no fault."""
        if method not in METHODS or not isinstance(result, dict):
            return
        with self._lock:
            answers = self._read(version)
            if answers.get(method) == result:
                return
            data = json.dumps({**answers, method: result}, separators=(",", ":")).encode()
            if len(data) > _MOST_BYTES:
                return
            try:
                files.private_folder(_folder())
                files.write_whole(self._path(version), data)
                _trim()
            except OSError:
                return

    def _read(self, version: str) -> Answers:
        data = files.read_bounded(self._path(version), _MOST_BYTES, owner=True)
        try:
            answers = json.loads(data) if data else {}
        except (ValueError, RecursionError):
            return {}
        return answers if isinstance(answers, dict) else {}

    def _path(self, version: str) -> str:
        told = "\0".join((*self._names, version)).encode("utf-8", "surrogatepass")
        return os.path.join(_folder(), f"{hashlib.sha256(told).hexdigest()[:40]}.json")


def _folder() -> str:
    return os.path.join(cache_folder(), "mcp")


def _trim() -> None:
    """Only the newest stay."""
    paths = [os.path.join(_folder(), name) for name in files.list_names(_folder())]
    if len(paths) > _MOST_FILES:
        for path in sorted(paths, key=lambda path: os.stat(path).st_mtime_ns)[:-_MOST_FILES]:
            files.remove(path)
