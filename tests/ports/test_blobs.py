"""Blobs in a folder: stored by project and hash, and deleted only with their own project."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path

import pytest

from loremark.base import ids
from loremark.ports.blobs.backend import BlobsUnavailable
from loremark.ports.blobs.store import Blobs, open_blobs

pytestmark = pytest.mark.anyio


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "blobs and more"


@pytest.fixture
def blobs(folder: Path) -> Blobs:
    return open_blobs(folder.as_uri())


async def _put(blobs: Blobs, project_id: str, content: bytes) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    await blobs.put(project_id, sha256, content)
    return sha256


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


async def test_get_returns_the_same_bytes(blobs: Blobs) -> None:
    project = ids.new("prj")
    contents = [b"", b"a", bytes(range(256)) * 10_000, "Grüße".encode()]
    hashes = [await _put(blobs, project, content) for content in contents]
    assert [await blobs.get(project, sha256) for sha256 in hashes] == contents
    assert len(await blobs.list_project(project)) == len(contents)


async def test_putting_the_same_content_again_changes_nothing(blobs: Blobs, folder: Path) -> None:
    project = ids.new("prj")
    first = await _put(blobs, project, b"content")
    assert await _put(blobs, project, b"content") == first
    assert len(_files(folder)) == 1
    assert await blobs.get(project, first) == b"content"


async def test_missing_blob_is_none(blobs: Blobs) -> None:
    project = ids.new("prj")
    sha256 = await _put(blobs, project, b"content")
    assert await blobs.get(project, "0" * 64) is None
    assert await blobs.get(ids.new("prj"), sha256) is None
    assert await blobs.list_project(ids.new("prj")) == []


async def test_deleting_a_blob_deletes_only_this_one(blobs: Blobs) -> None:
    project, other = ids.new("prj"), ids.new("prj")
    first, second = await _put(blobs, project, b"one"), await _put(blobs, project, b"two")
    await _put(blobs, other, b"one")
    for _ in range(2):
        await blobs.delete(project, first)
    await blobs.delete(ids.new("prj"), first)
    assert await blobs.list_project(project) == [second]
    assert await blobs.get(project, first) is None
    assert await blobs.list_project(other) == [first]
    with pytest.raises(ValueError, match="not a SHA-256"):
        await blobs.delete(project, "../x")


async def test_deleting_a_project_deletes_only_its_own_blobs(blobs: Blobs, folder: Path) -> None:
    doomed = "prj_1"
    similar_names = ["prj_", "prj_10", "prj_1a", "PRJ_1", "prj", "xprj_1"]
    for number in range(30):
        await _put(blobs, doomed, b"doomed %d" % number)
    kept = {project: await _put(blobs, project, project.encode()) for project in similar_names}
    assert await blobs.delete_project(doomed) == 30
    assert await blobs.delete_project(doomed) == 0
    assert await blobs.list_project(doomed) == []
    for project, sha256 in kept.items():
        assert await blobs.get(project, sha256) == project.encode()
    assert len(_files(folder)) == len(similar_names)


@pytest.mark.parametrize("odd", ["", "/", ".", "..", "../..", "*", "%2e%2e", "a/b", "ü ß", "a\\b", "x" * 200])
async def test_odd_project_ids_do_not_reach_other_data(blobs: Blobs, folder: Path, tmp_path: Path, odd: str) -> None:
    """Our ids never look like this; if one ever does, it must stay in the folder and away from other projects."""
    outside = tmp_path / "outside"
    outside.write_text("not ours")
    project = ids.new("prj")
    sha256 = await _put(blobs, project, b"precious")
    with suppress(BlobsUnavailable, ValueError):  # refusing is fine too
        await blobs.delete_project(odd)
        await blobs.put(odd, "0" * 64, b"odd")
        await blobs.delete_project(odd)
    assert await blobs.get(project, sha256) == b"precious"
    assert outside.read_text() == "not ours"
    assert {path.name for path in tmp_path.iterdir()} == {folder.name, "outside"}


def test_folder_is_private_and_other_url_schemes_are_refused(folder: Path) -> None:
    open_blobs(folder.as_uri())
    assert folder.stat().st_mode & 0o077 == 0
    with pytest.raises(ValueError, match="LOREMARK_BLOBS_URL"):
        open_blobs("ftp://example.com/blobs")
