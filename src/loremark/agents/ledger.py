"""Record our changes to each file: its original bytes, its hash afterwards, and who requested them."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import msgspec

from loremark.agents.changes import Change, UndoInfo


class Claim(msgspec.Struct, frozen=True):
    """The changes that one agent, in one scope, needs in the file."""

    owner: str
    changes: list[Change]


class Record(msgspec.Struct):
    """A file that we changed."""

    path: str
    root: str
    original: bytes | None
    """None if the file did not exist."""
    mode: int | None
    after: str
    """The hash of the file after our last change."""
    undo_infos: list[UndoInfo]
    claims: list[Claim]
    folders: list[str] = []
    """Folders that we created for this file."""

    def owners(self) -> set[str]:
        return {claim.owner for claim in self.claims}


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Ledger:
    """Records stored as JSON files in a private folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find(self, target: str) -> Record | None:
        return _read(self._path(target))

    def list_records(self) -> list[Record]:
        try:
            names = sorted(name for name in os.listdir(self._folder) if name.endswith(".json"))
        except FileNotFoundError:
            return []
        found = (_read(os.path.join(self._folder, name)) for name in names)
        return [record for record in found if record is not None]

    def save(self, record: Record) -> None:
        """Store the record durably. Called before the file is changed, so a crash in between can be undone."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        path = self._path(record.path)
        handle = os.open(path + ".part", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(msgspec.json.encode(record))
            file.flush()
            os.fsync(file.fileno())
        os.replace(path + ".part", path)

    def drop(self, target: str) -> None:
        with suppress(FileNotFoundError):
            os.unlink(self._path(target))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold an exclusive lock across processes."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with open(os.path.join(self._folder, "lock"), "wb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _path(self, target: str) -> str:
        return os.path.join(self._folder, hashlib.sha256(os.fsencode(target)).hexdigest()[:40] + ".json")


def _read(path: str) -> Record | None:
    try:
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=Record)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None
