"""Cache the server's responses to an agent's startup requests, for offline use. Standard library only."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from typing import Any

from loremark.base.folders import cache_folder
from loremark.hook import files

TOOLS = "tools/list"
CACHED_METHODS = frozenset(
    ("initialize", "server/discover", TOOLS, "prompts/list", "resources/list", "resources/templates/list")
)
_MAX_BYTES = 1 << 20
_MAX_FILES = 64

Answers = dict[str, Any]


class ResponseCache:
    """Responses for one server, key and project, by protocol version. Never shared between keys."""

    def __init__(self, url: str, key: str, project: str) -> None:
        self._names = (url, key, project)
        self._lock = threading.Lock()

    def find(self, version: str, method: str) -> dict[str, Any] | None:
        result = self._read(version).get(method) if method in CACHED_METHODS else None
        return result if isinstance(result, dict) else None

    def store(self, version: str, method: str, result: Any) -> None:
        """Store a response if it has changed. Failing to store it is not an error."""
        if method not in CACHED_METHODS or not isinstance(result, dict):
            return
        with self._lock:
            answers = self._read(version)
            if answers.get(method) == result:
                return
            data = json.dumps({**answers, method: result}, separators=(",", ":")).encode()
            if len(data) > _MAX_BYTES:
                return
            try:
                files.ensure_private_folder(_folder())
                files.write_atomic(self._path(version), data)
                _trim()
            except OSError:
                return

    def _read(self, version: str) -> Answers:
        data = files.read_bounded(self._path(version), _MAX_BYTES, owner=True)
        try:
            answers = json.loads(data) if data else {}
        except (ValueError, RecursionError):
            return {}
        return answers if isinstance(answers, dict) else {}

    def _path(self, version: str) -> str:
        key = "\0".join((*self._names, version)).encode("utf-8", "surrogatepass")
        return os.path.join(_folder(), f"{hashlib.sha256(key).hexdigest()[:40]}.json")


def _folder() -> str:
    return os.path.join(cache_folder(), "mcp")


def _trim() -> None:
    """Delete the oldest files."""
    paths = [os.path.join(_folder(), name) for name in files.list_names(_folder())]
    if len(paths) > _MAX_FILES:
        for path in sorted(paths, key=lambda path: os.stat(path).st_mtime_ns)[:-_MAX_FILES]:
            files.remove(path)
