"""Blobs in local files, durable before ``put`` returns.

A blob is written to a temporary file in the same directory, synced and renamed, and then the directory is synced. So
even after a crash a blob's name always refers to a complete file. Leftover files are deleted with the project.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from loremark.ports.blobs.backend import BlobsUnavailable, is_blob_name

_FOLDER_MODE = 0o700


class LocalBackend:
    """A directory with a subdirectory per project. All work runs in threads, because the disk may be slow."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._synced: set[str] = set()  # projects whose directory is known to be synced
        _make_folders(root)

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, project_id, sha256, content)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        return await asyncio.to_thread(self._get, project_id, sha256)

    async def delete(self, project_id: str, sha256: str) -> None:
        await asyncio.to_thread(self._delete_one, project_id, sha256)

    async def list_project(self, project_id: str) -> list[str]:
        return await asyncio.to_thread(self._list, project_id)

    async def delete_project(self, project_id: str) -> int:
        return await asyncio.to_thread(self._delete, project_id)

    def _put(self, project_id: str, sha256: str, content: bytes) -> None:
        folder = self._root / project_id
        with _clear_failure("a blob cannot be written"):
            self._make_project_folder(folder)
            if not _holds(folder / sha256, len(content)):
                _write(folder / sha256, content)
            # Also if the file exists: the process that renamed it may have crashed before this line.
            _sync_folder(folder)

    def _make_project_folder(self, folder: Path) -> None:
        """Create and sync the directory. An earlier process may have crashed before syncing it."""
        if folder.name in self._synced and folder.is_dir():
            return
        folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
        _sync_folder(self._root)
        self._synced.add(folder.name)

    def _get(self, project_id: str, sha256: str) -> bytes | None:
        with _clear_failure("a blob cannot be read"):
            try:
                return (self._root / project_id / sha256).read_bytes()
            except FileNotFoundError:
                return None

    def _list(self, project_id: str) -> list[str]:
        with _clear_failure("blobs cannot be listed"):
            try:
                return sorted(name for name in os.listdir(self._root / project_id) if is_blob_name(name))
            except FileNotFoundError:
                return []

    def _delete_one(self, project_id: str, sha256: str) -> None:
        folder = self._root / project_id
        with _clear_failure("a blob cannot be deleted"), suppress(FileNotFoundError):
            (folder / sha256).unlink()
            _sync_folder(folder)

    def _delete(self, project_id: str) -> int:
        """Delete the project's directory, including temporary files, durably."""
        found = len(self._list(project_id))
        self._synced.discard(project_id)
        with _clear_failure("blobs cannot be deleted"):
            with suppress(FileNotFoundError):
                shutil.rmtree(self._root / project_id)
            _sync_folder(self._root)
        return found


def _holds(path: Path, size: int) -> bool:
    """Return whether the blob exists. A file of the wrong size was modified by hand and is replaced."""
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    """Write the file atomically: sync the content, then rename."""
    number, temporary = tempfile.mkstemp(prefix=".unfinished-", dir=path.parent)  # mode 0600
    try:
        with open(number, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(number)
        os.rename(temporary, path)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _make_folders(folder: Path) -> None:
    """Create the directory and its missing parents, syncing each."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Sync a directory, which makes new names in it durable."""
    number = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


@contextmanager
def _clear_failure(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise BlobsUnavailable(f"{what}: {error}") from error
