"""Blobs in a bucket over real HTTP: the same behavior as in a folder, and timeouts if the server is unavailable."""

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
    """A prefix in the bucket for a single test."""
    return f"{ids.new('pre')}/inner"


@pytest.fixture
def blobs(server: S3Server, prefix: str) -> Blobs:
    return open_blobs(f"s3://{BUCKET}/{prefix}", s3_endpoint=server.endpoint)


async def _put(blobs: Blobs, project_id: str, content: bytes) -> str:
    sha256 = hashlib.sha256(content).hexdigest()
    await blobs.put(project_id, sha256, content)
    return sha256


async def test_get_returns_the_same_bytes(blobs: Blobs, server: S3Server, prefix: str) -> None:
    contents = [b"", b"a", "Grüße 語 🪨\0\r\n".encode(), bytes(range(256)) * 100, b"5 MB " * 1_048_577]
    hashes = [await _put(blobs, "prj_1", content) for content in contents]
    assert [await blobs.get("prj_1", sha256) for sha256 in hashes] == contents
    assert await _put(blobs, "prj_1", contents[2]) == hashes[2]
    assert sorted(await blobs.list_project("prj_1")) == sorted(hashes)
    assert server.keys(prefix) == sorted(f"{prefix}/prj_1/{sha256}" for sha256 in hashes)


async def test_missing_blob_is_none(blobs: Blobs) -> None:
    sha256 = await _put(blobs, "prj_1", b"content")
    assert await blobs.get("prj_1", "0" * 64) is None
    assert await blobs.get("prj_2", sha256) is None
    assert await blobs.list_project("prj_2") == []
    assert await blobs.delete_project("prj_2") == 0


async def test_deleting_a_blob_deletes_only_this_one(blobs: Blobs) -> None:
    first, second = await _put(blobs, "prj_1", b"one"), await _put(blobs, "prj_1", b"two")
    await _put(blobs, "prj_2", b"one")
    for _ in range(2):
        await blobs.delete("prj_1", first)
    assert await blobs.list_project("prj_1") == [second]
    assert await blobs.list_project("prj_2") == [first]


async def test_deleting_a_project_deletes_only_its_own_blobs(blobs: Blobs) -> None:
    similar_names = ["prj_", "prj_10", "prj_1a", "PRJ_1", "prj", "xprj_1"]
    for number in range(30):
        await _put(blobs, "prj_1", b"doomed %d" % number)
    kept = {project: await _put(blobs, project, project.encode()) for project in similar_names}
    assert await blobs.delete_project("prj_1") == 30
    assert await blobs.delete_project("prj_1") == 0
    assert await blobs.list_project("prj_1") == []
    for project, sha256 in kept.items():
        assert await blobs.get(project, sha256) == project.encode()


async def test_more_blobs_than_fit_on_a_page_are_listed_and_deleted(blobs: Blobs, server: S3Server) -> None:
    limit = asyncio.Semaphore(10)

    async def put_one(number: int) -> None:
        async with limit:
            await blobs.put("prj_1", f"{number:064x}", b"x")

    await asyncio.gather(*(put_one(number) for number in range(1_010)))
    assert await blobs.list_project("prj_1") == [f"{number:064x}" for number in range(1_010)]
    assert await blobs.delete_project("prj_1") == 1_010
    assert await blobs.list_project("prj_1") == []


async def test_prefixes_in_a_bucket_are_isolated(server: S3Server, prefix: str) -> None:
    places = [f"{prefix}/a", f"{prefix}/ab", f"{prefix}/a/b", prefix]
    stores = [open_blobs(f"s3://{BUCKET}/{place}/", s3_endpoint=server.endpoint) for place in places]
    hashes = [await _put(blobs, "prj_1", place.encode()) for blobs, place in zip(stores, places, strict=True)]
    for blobs, sha256 in zip(stores, hashes, strict=True):
        assert await blobs.list_project("prj_1") == [sha256]
    assert await stores[0].delete_project("prj_1") == 1
    assert [await blobs.list_project("prj_1") for blobs in stores] == [[], *([sha256] for sha256 in hashes[1:])]


async def test_prefix_is_optional(server: S3Server) -> None:
    blobs, project = open_blobs(f"s3://{BUCKET}", s3_endpoint=server.endpoint), ids.new("prj")
    sha256 = await _put(blobs, project, b"content")
    assert server.keys(project) == [f"{project}/{sha256}"]
    assert await blobs.delete_project(project) == 1


def test_default_provider_needs_no_endpoint() -> None:
    open_blobs("s3://stones/prefix")


async def _error_messages(blobs: Blobs) -> list[str]:
    """Call all methods concurrently and return their error messages; each must fail."""
    results = await asyncio.gather(
        blobs.put("prj_1", "0" * 64, b"x" * 100_000),
        blobs.get("prj_1", "0" * 64),
        blobs.list_project("prj_1"),
        blobs.delete_project("prj_1"),
        return_exceptions=True,
    )
    assert [type(result) for result in results] == [BlobsUnavailable] * 4
    return [str(result) for result in results]


async def test_unreachable_server_is_storage_unavailable(blobs: Blobs) -> None:
    assert issubclass(BlobsUnavailable, StorageUnavailable)
    unreachable = open_blobs(f"s3://{BUCKET}", s3_endpoint=f"http://127.0.0.1:{free_port()}")
    messages = await _error_messages(unreachable)
    assert not [message for message in messages if "Debug source" in message]


async def test_server_that_never_answers_times_out() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        endpoint = f"http://127.0.0.1:{silent.getsockname()[1]}"
        messages = await _error_messages(Blobs(S3Backend(BUCKET, "", endpoint, call_seconds=1.0)))
    assert [message.partition(": ")[2] for message in messages] == ["no response within 1 s"] * 4


async def test_missing_bucket_is_an_error_and_not_a_missing_blob(server: S3Server) -> None:
    for message in await _error_messages(open_blobs("s3://no-such-bucket/x", s3_endpoint=server.endpoint)):
        assert "NoSuchBucket" in message


async def test_server_is_used_again_after_an_outage(tmp_path: Path) -> None:
    own = S3Server(tmp_path)
    try:
        blobs = open_blobs(f"s3://{BUCKET}/x", s3_endpoint=own.endpoint)
        await _put(blobs, "prj_1", b"content")
        own.stop()
        await _error_messages(blobs)
        own.start()
        sha256 = await _put(blobs, "prj_1", b"content")
        assert await blobs.get("prj_1", sha256) == b"content"
    finally:
        own.stop()
