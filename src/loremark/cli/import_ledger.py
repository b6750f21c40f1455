"""Remember what ``loremark setup`` has imported into a project, so that running it again is quick."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable

from loremark.base.folders import state_folder
from loremark.hook import files

_MAX_BYTES = 16_777_216


class ImportLedger:
    """The version of each source that was imported last, and the sessions that no memory was extracted from yet."""

    def __init__(self, url: str, project: str) -> None:
        name = hashlib.sha256(f"{url}\n{project}".encode()).hexdigest()[:40]
        self._path = os.path.join(folder(), f"{name}.json")
        saved = _read(self._path)
        versions, unenriched = saved.get("versions"), saved.get("unenriched")
        self._versions: dict[str, str] = versions if isinstance(versions, dict) else {}
        self._unenriched: dict[str, None] = dict.fromkeys(unenriched if isinstance(unenriched, list) else ())

    @property
    def unenriched(self) -> list[str]:
        return list(self._unenriched)

    def is_current(self, source: str, version: str) -> bool:
        return self._versions.get(source) == version

    def add(self, source: str, version: str) -> None:
        """Record a source right after it was sent, so that an interrupted import can resume."""
        self._versions[source] = version
        self._save()

    def add_unenriched(self, sessions: Iterable[str]) -> None:
        self._unenriched.update(dict.fromkeys(sessions))
        self._save()

    def remove_unenriched(self, sessions: Iterable[str]) -> None:
        for session_id in sessions:
            self._unenriched.pop(session_id, None)
        self._save()

    def _save(self) -> None:
        files.ensure_private_folder(os.path.dirname(self._path))
        saved = {"versions": self._versions, "unenriched": list(self._unenriched)}
        files.write_atomic(self._path, json.dumps(saved).encode())


def folder() -> str:
    return os.path.join(state_folder(), "imports")


def _read(path: str) -> dict[str, object]:
    try:
        found = json.loads(files.read_bounded(path, _MAX_BYTES) or b"{}")
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
