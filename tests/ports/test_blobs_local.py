"""Blobs in a folder: on disk before `put` returns, private, never partial, and with one kind of error."""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loremark.ports.blobs.backend import BlobsUnavailable
from loremark.ports.blobs.store import Blobs, open_blobs
from loremark.storage.database import StorageUnavailable
from tests.servers import lifetime

pytestmark = pytest.mark.anyio

PROJECT = "prj_1"

KILLS = 6

WRITER_SCRIPT = """
import asyncio, hashlib, os, random, signal, sys, time
from pathlib import Path
from loremark.ports.blobs.store import open_blobs

reader, writer = os.pipe()

async def put_forever(blobs, generation, lane):
    number = 0
    while True:
        number += 1
        content = f"{generation} {lane} {number} ".encode() * 5_000 * (lane + 1)
        name = hashlib.sha256(content).hexdigest()
        await blobs.put("prj_1", name, content)
        os.write(1, f"{name}\\n".encode())
        os.write(writer, b"x")

async def put_in_lanes(generation):
    blobs = open_blobs(Path(sys.argv[1]).as_uri())
    await asyncio.gather(*(put_forever(blobs, generation, lane) for lane in range(4)))

for generation in range(int(sys.argv[2])):
    child = os.fork()
    if not child:
        asyncio.run(put_in_lanes(generation))
    for _ in range(generation % 2 * 3):
        os.read(reader, 1)
    time.sleep(random.uniform(0.0, 0.15))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
"""
"""Puts blobs in processes that are killed at random moments, and prints each name once `put` has returned.

Every other process is killed only after it has put some, however slow the machine is."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "blobs"


@pytest.fixture
def blobs(folder: Path) -> Blobs:
    return open_blobs(folder.as_uri())


def _name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class _FileOperations:
    """Records renames and syncs of files and folders in order, identified by inode."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: list[tuple[str, int]] = []
        fsync, rename = os.fsync, os.rename

        def recorded_fsync(descriptor: int) -> None:
            fsync(descriptor)
            found = os.fstat(descriptor)
            self.seen.append(("folder" if stat.S_ISDIR(found.st_mode) else "file", found.st_ino))

        def recorded_rename(source: str, target: Path) -> None:
            rename(source, target)
            self.seen.append(("rename", target.stat().st_ino))

        monkeypatch.setattr(os, "fsync", recorded_fsync)
        monkeypatch.setattr(os, "rename", recorded_rename)

    def take(self) -> list[tuple[str, int]]:
        seen, self.seen = self.seen, []
        return seen


async def test_content_name_and_folders_are_synced_in_order(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    operations = _FileOperations(monkeypatch)
    blobs = open_blobs(folder.as_uri())
    assert operations.take() == [("folder", tmp_path.stat().st_ino), ("folder", folder.parent.stat().st_ino)]
    await blobs.put(PROJECT, _name(b"one"), b"one")
    project = ("folder", (folder / PROJECT).stat().st_ino)
    root = ("folder", folder.stat().st_ino)
    file = (folder / PROJECT / _name(b"one")).stat().st_ino
    assert operations.take() == [root, ("file", file), ("rename", file), project]
    await blobs.put(PROJECT, _name(b"one"), b"one")
    assert operations.take() == [project], "an existing blob is not written again, but its folder is synced"
    await blobs.put(PROJECT, _name(b"two"), b"two")
    assert [kind for kind, _ in operations.take()] == ["file", "rename", "folder"]
    reopened = open_blobs(folder.as_uri())
    await reopened.put(PROJECT, _name(b"one"), b"one")
    assert operations.take() == [root, project], "a new process cannot know whether the previous one finished"
    await reopened.delete_project(PROJECT)
    assert operations.take()[-1] == root


async def test_files_and_folders_are_private(tmp_path: Path, folder: Path) -> None:
    before = os.umask(0)
    try:
        await open_blobs(folder.as_uri()).put(PROJECT, _name(b"x"), b"x")
    finally:
        os.umask(before)
    modes = {path.relative_to(tmp_path).parts[-1]: path.stat().st_mode & 0o777 for path in tmp_path.rglob("*")}
    assert modes == {"data": 0o700, "blobs": 0o700, PROJECT: 0o700, _name(b"x"): 0o600}


async def test_leftovers_of_a_crash_are_ignored_and_deleted_with_the_project(blobs: Blobs, folder: Path) -> None:
    await blobs.put(PROJECT, _name(b"whole"), b"whole")
    leftovers = [".unfinished-abc", f"{_name(b'other')}#1", "whatever"]
    for name in leftovers:
        (folder / PROJECT / name).write_bytes(b"ha")
    assert await blobs.list_project(PROJECT) == [_name(b"whole")]
    assert await blobs.get(PROJECT, _name(b"other")) is None
    assert await blobs.delete_project(PROJECT) == 1
    assert list(folder.iterdir()) == []
    await blobs.put(PROJECT, _name(b"later"), b"later")
    assert await blobs.get(PROJECT, _name(b"later")) == b"later"


async def test_truncated_file_is_rewritten(blobs: Blobs, folder: Path) -> None:
    await blobs.put(PROJECT, _name(b"whole"), b"whole")
    (folder / PROJECT / _name(b"whole")).write_bytes(b"who")
    await blobs.put(PROJECT, _name(b"whole"), b"whole")
    assert await blobs.get(PROJECT, _name(b"whole")) == b"whole"


async def test_concurrent_puts_store_each_blob_once(blobs: Blobs, folder: Path) -> None:
    contents = [b"%d" % (number % 7) * 50_000 for number in range(70)]
    await asyncio.gather(*(blobs.put(PROJECT, _name(content), content) for content in contents))
    assert sorted(path.name for path in (folder / PROJECT).iterdir()) == sorted({_name(each) for each in contents})
    for content in contents[:7]:
        assert await blobs.get(PROJECT, _name(content)) == content


@contextmanager
def _max_file_size(size: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_full_disk_is_unavailable_and_leaves_no_files(blobs: Blobs, folder: Path) -> None:
    content = b"x" * 10_000_000
    with _max_file_size(5_000_000), pytest.raises(BlobsUnavailable, match="cannot be written"):
        await blobs.put(PROJECT, _name(content), content)
    assert list((folder / PROJECT).iterdir()) == []
    await blobs.put(PROJECT, _name(content), content)
    assert await blobs.get(PROJECT, _name(content)) == content


async def test_every_disk_error_is_storage_unavailable(blobs: Blobs, folder: Path) -> None:
    (folder / PROJECT).write_text("not a folder")
    for attempt in (
        blobs.put(PROJECT, "0" * 64, b""),
        blobs.get(PROJECT, "0" * 64),
        blobs.list_project(PROJECT),
        blobs.delete_project(PROJECT),
    ):
        with pytest.raises(StorageUnavailable):
            await attempt


@pytest.mark.parametrize("name", ["", "x", "..", "../" + "0" * 61, "0" * 63, "0" * 65, "A" * 64, "0" * 64 + "\n"])
async def test_name_that_is_not_a_hash_is_refused(blobs: Blobs, name: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        await blobs.put(PROJECT, name, b"x")
    with pytest.raises(ValueError, match="SHA-256"):
        await blobs.get(PROJECT, name)


async def test_removed_folder_is_created_again(blobs: Blobs, folder: Path) -> None:
    await blobs.put(PROJECT, _name(b"one"), b"one")
    (folder / PROJECT / _name(b"one")).unlink()
    (folder / PROJECT).rmdir()
    await blobs.put(PROJECT, _name(b"one"), b"one")
    assert await blobs.get(PROJECT, _name(b"one")) == b"one"


async def test_kill_9_loses_no_acknowledged_blob_and_leaves_no_partial_one(folder: Path) -> None:
    command = [sys.executable, "-c", WRITER_SCRIPT, str(folder), str(KILLS)]
    completed = subprocess.run(
        command, capture_output=True, text=True, env=lifetime.child_env(), timeout=60, check=True
    )
    acknowledged = set(completed.stdout.split())
    blobs = open_blobs(folder.as_uri())
    listed = await blobs.list_project(PROJECT)
    assert len(acknowledged) > KILLS
    assert acknowledged <= set(listed)
    for name in listed:
        content = await blobs.get(PROJECT, name)
        assert content is not None
        assert _name(content) == name
    assert await blobs.delete_project(PROJECT) == len(listed)
    assert list(folder.iterdir()) == []
