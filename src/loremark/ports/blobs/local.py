"""Blobs in local files, on the disk before anybody hears that they are kept.

A blob is written to a temporary file beside its place, synced, renamed, and then the folder is synced: only a
whole file ever has a blob's name, also after a crash. What a crash leaves behind has another name, counts as
no blob, and goes with the project.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from loremark.ports.blobs.place import BlobsUnavailable, is_blob_name

_FOLDER_MODE = 0o700


class LocalPlace:
    """A folder with a folder for each project. All work is done in threads: the disk may be slow."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._synced: set[str] = set()  # projects whose folder is known to be on the disk
        _make_folders(root)

    async def put(self, project_id: str, sha256: str, content: bytes) -> None:
        await asyncio.to_thread(self._put, project_id, sha256, content)

    async def get(self, project_id: str, sha256: str) -> bytes | None:
        return await asyncio.to_thread(self._get, project_id, sha256)

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
            # Also when the file was there: whoever renamed it may not have come to this line.
            _sync_folder(folder)

    def _make_project_folder(self, folder: Path) -> None:
        """A folder that an earlier process made may not be on the disk, so the first use in this one syncs it."""
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

    def _delete(self, project_id: str) -> int:
        """Everything in the project's folder, temporary files too; a deletion is kept like any other promise."""
        found = len(self._list(project_id))
        self._synced.discard(project_id)
        with _clear_failure("blobs cannot be deleted"):
            with suppress(FileNotFoundError):
                shutil.rmtree(self._root / project_id)
            _sync_folder(self._root)
        return found


def _holds(path: Path, size: int) -> bool:
    """Whether the blob is there. A size that differs was never ours (a file cut short by hand): it is replaced."""
    try:
        return path.stat().st_size == size
    except FileNotFoundError:
        return False


def _write(path: Path, content: bytes) -> None:
    """The file under its name, its content on the disk before the name is given."""
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
    """The folder and what is missing above it, each on the disk before the next."""
    if folder.is_dir():
        return
    _make_folders(folder.parent)
    folder.mkdir(mode=_FOLDER_MODE, exist_ok=True)
    _sync_folder(folder.parent)


def _sync_folder(folder: Path) -> None:
    """Names in a folder are content of the folder: a new one is on the disk once the folder is."""
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
