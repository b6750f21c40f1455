"""Remember what ``loremark setup`` has imported into a project, so that running it again is quick."""

from __future__ import annotations

import hashlib
import json
import os

from loremark.base.folders import state_folder
from loremark.hook import files

_MAX_BYTES = 16_777_216


class ImportLedger:
    """The version of each source that was imported last."""

    def __init__(self, url: str, project: str) -> None:
        name = hashlib.sha256(f"{url}\n{project}".encode()).hexdigest()[:40]
        self._path = os.path.join(folder(), f"{name}.json")
        self._versions = _read(self._path)

    def is_current(self, source: str, version: str) -> bool:
        return self._versions.get(source) == version

    def add(self, source: str, version: str) -> None:
        """Record a source right after it was sent, so that an interrupted import can resume."""
        self._versions[source] = version
        files.ensure_private_folder(os.path.dirname(self._path))
        files.write_atomic(self._path, json.dumps(self._versions).encode())


def folder() -> str:
    return os.path.join(state_folder(), "imports")


def _read(path: str) -> dict[str, str]:
    try:
        found = json.loads(files.read_bounded(path, _MAX_BYTES) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return {name: text for name, text in found.items() if isinstance(text, str)} if isinstance(found, dict) else {}
