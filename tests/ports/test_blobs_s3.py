"""Blobs in a bucket, over real HTTP: the same as in a folder, and bounded in time when the server is away."""

from __future__ import annotations

import asyncio
import hashlib
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from loremark.base import ids
from loremark.ports.blobs.backend import BlobsUnavailable
from loremark.ports.blobs.s3 import S3Backend
from loremark.ports.blobs.store import Blobs, open_blobs
from loremark.storage.database import StorageUnavailable
from tests.servers.process import free_port
from tests.servers.s3 import BUCKET, CREDENTIALS, S3Server

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    running = S3Server(tmp_path_factory.mktemp("s3"))
    yield running
    running.stop()


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def prefix() -> str:
    """A part of the bucket for one test alone."""
    return f"{ids.new('pre')}/inner"


@pytest.fixture
def blobs(server: S3Server, prefix: str) -> Blobs:
    return open_blobs(f"s3://{BUCKET}/{prefix}", s3_endpoint=server.endpoint)


async def _put(blobs: Blobs, project_id: str, content: bytes) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    await blobs.put(project_id, sha256, content)
    return sha256


async def test_what_was_put_comes_back_byte_by_byte(blobs: Blobs, server: S3Server, prefix: str) -> None:
    contents = [b"", b"a", "Grüße 語 🪨\0\r\n".encode(), bytes(range(256)) * 100, b"5 MB " * 1_048_577]
    hashes = [await _put(blobs, "prj_1", content) for content in contents]
    assert [await blobs.get("prj_1", sha256) for sha256 in hashes] == contents
    assert await _put(blobs, "prj_1", contents[2]) == hashes[2]
    assert sorted(await blobs.list_project("prj_1")) == sorted(hashes)
    assert server.keys(prefix) == sorted(f"{prefix}/prj_1/{sha256}" for sha256 in hashes)


async def test_what_is_not_there_is_none(blobs: Blobs) -> None:
    sha256 = await _put(blobs, "prj_1", b"content")
    assert await blobs.get("prj_1", "0" * 64) is None
    assert await blobs.get("prj_2", sha256) is None
    assert await blobs.list_project("prj_2") == []
    assert await blobs.delete_project("prj_2") == 0


async def test_deleting_a_project_takes_all_of_its_blobs_and_no_others(blobs: Blobs) -> None:
    neighbours = ["prj_", "prj_10", "prj_1a", "PRJ_1", "prj", "xprj_1"]
    for number in range(30):
        await _put(blobs, "prj_1", b"doomed %d" % number)
    kept = {project: await _put(blobs, project, project.encode()) for project in neighbours}
    assert await blobs.delete_project("prj_1") == 30
    assert await blobs.delete_project("prj_1") == 0
    assert await blobs.list_project("prj_1") == []
    for project, sha256 in kept.items():
        assert await blobs.get(project, sha256) == project.encode()


async def test_more_blobs_than_fit_on_a_page_are_listed_and_deleted(blobs: Blobs, server: S3Server) -> None:
    room = asyncio.Semaphore(10)

    async def put_one(number: int) -> None:
        async with room:
            await blobs.put("prj_1", f"{number:064x}", b"x")

    await asyncio.gather(*(put_one(number) for number in range(1_010)))
    assert await blobs.list_project("prj_1") == [f"{number:064x}" for number in range(1_010)]
    assert await blobs.delete_project("prj_1") == 1_010
    assert await blobs.list_project("prj_1") == []


async def test_prefixes_of_a_bucket_are_kept_apart(server: S3Server, prefix: str) -> None:
    places = [f"{prefix}/a", f"{prefix}/ab", f"{prefix}/a/b", prefix]
    stores = [open_blobs(f"s3://{BUCKET}/{place}/", s3_endpoint=server.endpoint) for place in places]
    hashes = [await _put(blobs, "prj_1", place.encode()) for blobs, place in zip(stores, places, strict=True)]
    for blobs, sha256 in zip(stores, hashes, strict=True):
        assert await blobs.list_project("prj_1") == [sha256]
    assert await stores[0].delete_project("prj_1") == 1
    assert [await blobs.list_project("prj_1") for blobs in stores] == [[], *([sha256] for sha256 in hashes[1:])]


async def test_a_whole_bucket_needs_no_prefix(server: S3Server) -> None:
    blobs, project = open_blobs(f"s3://{BUCKET}", s3_endpoint=server.endpoint), ids.new("prj")
    sha256 = await _put(blobs, project, b"content")
    assert server.keys(project) == [f"{project}/{sha256}"]
    assert await blobs.delete_project(project) == 1


def test_the_providers_own_server_needs_no_address() -> None:
    open_blobs("s3://stones/prefix")


async def _all_fail(blobs: Blobs) -> list[str]:
    """The text of the failure of each method, all asked at once."""
    results = await asyncio.gather(
        blobs.put("prj_1", "0" * 64, b"x" * 100_000),
        blobs.get("prj_1", "0" * 64),
        blobs.list_project("prj_1"),
        blobs.delete_project("prj_1"),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [BlobsUnavailable] * 4
    return [str(result) for result in results]


async def test_a_server_that_is_away_is_storage_unavailable(blobs: Blobs) -> None:
    assert issubclass(BlobsUnavailable, StorageUnavailable)
    away = open_blobs(f"s3://{BUCKET}", s3_endpoint=f"http://127.0.0.1:{free_port()}")
    texts = await _all_fail(away)
    assert not [text for text in texts if "Debug source" in text]


async def test_a_server_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        endpoint = f"http://127.0.0.1:{mute.getsockname()[1]}"
        texts = await _all_fail(Blobs(S3Backend(BUCKET, "", endpoint, call_seconds=1.0)))
    assert [text.partition(": ")[2] for text in texts] == ["no response within 1 s"] * 4


async def test_a_bucket_that_is_not_there_is_a_failure_and_not_a_missing_blob(server: S3Server) -> None:
    for text in await _all_fail(open_blobs("s3://no-such-bucket/x", s3_endpoint=server.endpoint)):
        assert "NoSuchBucket" in text


async def test_a_server_that_comes_back_is_used_again(tmp_path: Path) -> None:
    own = S3Server(tmp_path)
    try:
        blobs = open_blobs(f"s3://{BUCKET}/x", s3_endpoint=own.endpoint)
        await _put(blobs, "prj_1", b"content")
        own.stop()
        await _all_fail(blobs)
        own.start()
        sha256 = await _put(blobs, "prj_1", b"content")
        assert await blobs.get("prj_1", sha256) == b"content"
    finally:
        own.stop()
