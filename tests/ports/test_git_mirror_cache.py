"""Local copies of repositories: which are kept and which are removed, but never while in use."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.ports.git import filesystem
from loremark.ports.git.mirror_cache import MirrorCache
from loremark.ports.git.remote import mirror_name
from loremark.ports.git.repository import Repositories
from loremark.ports.outbound.guard import Guard
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority

pytestmark = pytest.mark.anyio

_TOKEN = "ghp_thisIsVerySecret0123456789"


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}  # like the service; uvloop handles processes and pipes differently


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@pytest.fixture
def reader(authority: Authority, folder: Path) -> Repositories:
    return _reader(authority, folder, "ours")


def _reader(authority: Authority, folder: Path, owner: str) -> Repositories:
    return Repositories(folder, Guard(("127.0.0.0/8",)), owner=owner, ca_file=str(authority.ca_file), timeout_s=20.0)


def _serve(server: GitServer, name: str = "o/r", content: bytes = b"1\n") -> str:
    make_repository(server.root / name, [])
    (sha,) = add_commits(server.root / name, [Commit(b"one", {b"a": content})])
    return sha


async def _read(reader: Repositories, url: str, sha: str, token: str | None = None) -> None:
    """Create both kinds of copies."""
    assert len(await reader.commits(url, token, [sha])) == 1
    async with reader.snapshot(url, token) as snapshot:
        assert snapshot.commit == sha


def _names(folder: Path) -> set[str]:
    return {path.name.split(".")[0] for path in folder.glob("*/*.git")}


def _copies_of(folder: Path, url: str) -> list[Path]:
    return sorted(folder.glob(f"{mirror_name(url)}*"))


def _set_age(folder: Path, url: str, days: float) -> None:
    then = (clock.now_ms() - days * clock.DAY_MS) / 1000
    for copy in folder.glob(f"{mirror_name(url)}*/*.git"):
        os.utime(copy, (then, then))


async def test_unneeded_copies_are_removed_without_a_trace(
    server: GitServer, authority: Authority, reader: Repositories, folder: Path
) -> None:
    url, place = server.url("o/r"), mirror_name(server.url("o/r"))
    assert await reader.mirrors.list_mirrors() == set()
    assert await reader.mirrors.keep(place, ())
    sha = _serve(server)
    other = _reader(authority, folder, "theirs")
    await _read(reader, url, sha)
    await _read(reader, url, sha, _TOKEN)
    await _read(other, url, sha, _TOKEN)
    public, private = (reader.mirrors.reader_name(url, token) for token in (None, _TOKEN))
    theirs = other.mirrors.reader_name(url, _TOKEN)
    assert await reader.mirrors.list_mirrors() == {place}
    assert _names(folder) == {public, private, theirs}
    assert not [name for name in map(str, folder.rglob("*")) if _TOKEN in name]

    assert await reader.mirrors.keep(place, {public, private})
    assert _names(folder) == {public, private, theirs}
    assert await reader.mirrors.keep(place, {private})
    assert _names(folder) == {private, theirs}
    (folder / place / "left.git.removed").mkdir()  # as left by a crash
    assert await reader.mirrors.keep(place, ())
    assert _names(folder) == {theirs}
    assert [path.name for path in (folder / place).iterdir()] == [f"{theirs}.git"]
    assert await other.mirrors.keep(place, ())
    assert _copies_of(folder, url) == []  # not even a lock
    await _read(reader, url, sha)
    assert _names(folder) == {public}


async def test_copies_unused_for_a_week_are_removed(server: GitServer, reader: Repositories, folder: Path) -> None:
    urls = [server.url(f"o/{name}") for name in ("new", "old", "again")]
    shas = [_serve(server, f"o/{name}") for name in ("new", "old", "again")]
    for url, sha in zip(urls, shas, strict=True):
        await _read(reader, url, sha)
    for url, days in zip(urls, (6.9, 7.1, 30), strict=True):
        _set_age(folder, url, days)
    await _read(reader, urls[2], shas[2])  # both kinds of copies are in use again
    assert await reader.mirrors.prune()
    assert await reader.mirrors.list_mirrors() == {mirror_name(urls[0]), mirror_name(urls[2])}
    assert _copies_of(folder, urls[1]) == []
    assert [len(list(folder.glob(f"{mirror_name(url)}*/*.git"))) for url in urls] == [2, 0, 2]


async def test_least_recently_used_copies_are_removed_until_the_rest_fits(
    server: GitServer, reader: Repositories, folder: Path
) -> None:
    urls = [server.url(f"o/{number}") for number in range(4)]
    for number, url in enumerate(urls):
        sha = _serve(server, f"o/{number}", os.urandom(200_000))
        assert len(await reader.commits(url, None, [sha])) == 1
        _set_age(folder, url, (2, 1, 4, 3)[number])
    bounded = MirrorCache(folder, filesystem.Locks(folder), "ours", max_bytes=600_000)
    assert await bounded.prune()
    assert await bounded.list_mirrors() == {mirror_name(urls[0]), mirror_name(urls[1])}
    assert sum(filesystem.size_bytes(path) for url in urls for path in _copies_of(folder, url)) < 600_000
    assert await bounded.prune()
    assert len(await bounded.list_mirrors()) == 2


async def test_copy_in_use_is_kept_and_removed_later(
    server: GitServer, reader: Repositories, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loremark.ports.git.mirror_cache._PATIENCE_S", 0.2)
    sha = _serve(server)
    url = server.url("silent/o/r")
    server.is_silent = False
    await _read(reader, url, sha)
    [mirror] = folder.glob(f"{mirror_name(url)}/*.git")
    server.is_silent = True
    later_ms = clock.now_ms() + 2 * clock.MINUTE_MS
    add_commits(server.root / "o/r", [Commit(b"two", {b"b": b"2\n"})])
    with clock.use(lambda: later_ms):
        fetching = asyncio.create_task(reader.commits(url, None, [sha]))
        assert await asyncio.to_thread(server.went_silent.wait, 10.0)
        _set_age(folder, url, 8)
        other_cache = MirrorCache(folder, filesystem.Locks(folder), "ours")
        for cache in (reader.mirrors, other_cache):
            assert not await cache.prune()
            assert not await cache.keep(mirror_name(url), ())
        assert mirror.exists()
        assert not list(folder.glob("*-tips/*"))  # this one was not in use
        server.is_silent = False
        server.hang_up()
        await asyncio.gather(fetching, return_exceptions=True)
        assert len(await reader.commits(url, None, [sha])) == 1
        assert await other_cache.prune()
        assert mirror.exists()  # it was used in the meantime
    assert await other_cache.keep(mirror_name(url), ())
    assert _copies_of(folder, url) == []


async def test_concurrent_reading_and_removing_is_safe(
    server: GitServer, authority: Authority, reader: Repositories, folder: Path
) -> None:
    sha, url = _serve(server), server.url("o/r")
    readers = (reader, _reader(authority, folder, "ours"))

    async def remove() -> None:
        for _ in range(25):
            await MirrorCache(folder, filesystem.Locks(folder), "ours").keep(mirror_name(url), ())
            await asyncio.sleep(0.01)

    removing = asyncio.create_task(remove())
    while not removing.done():
        await asyncio.gather(*(_read(each, url, sha) for each in readers))
    await removing
    assert await reader.mirrors.keep(mirror_name(url), ())
    assert _copies_of(folder, url) == []
