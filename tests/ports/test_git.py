"""Read commits and files from a real git server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.ports.git.repository import ChangedFile, Repositories, RepositoryFailed
from loremark.ports.outbound.guard import Guard
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority

pytestmark = pytest.mark.anyio

_LOOPBACK = ("127.0.0.0/8", "::1/128")
_LINES = b"".join(b"line %d\n" % number for number in range(40))


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}  # like the service; uvloop handles processes and pipes differently


@pytest.fixture
async def repositories(authority: Authority, tmp_path: Path) -> AsyncIterator[Repositories]:
    guard = Guard(_LOOPBACK)
    yield Repositories(tmp_path / "copies", guard, ca_file=str(authority.ca_file), timeout_s=20.0)
    await guard.close()


def _serve(server: GitServer, *commits: Commit, filters: bool = True, hash_name: str = "sha1") -> list[str]:
    make_repository(server.root / "o/r", [], filters=filters, hash_name=hash_name)
    return add_commits(server.root / "o/r", commits)


@pytest.mark.parametrize("filters", [True, False])
async def test_commits_include_their_files_and_diffs(
    server: GitServer, repositories: Repositories, filters: bool
) -> None:
    shas = _serve(
        server,
        Commit(b"First\n\nWith a body.\n", {b"a.txt": _LINES, b"b.bin": b"\0\1\2" * 50, b"gone.txt": b"old\n"}),
        Commit(
            b"Second",
            {b"a.txt": None, b"src/moved.txt": _LINES + b"one more\n", b"b.bin": b"\0\5", b"gone.txt": None},
            author=b"Grace Hopper",
            second=1_700_000_100,
        ),
        filters=filters,
    )
    url = server.url("o/r")
    second, first = await repositories.commits(url, None, [shas[1][:10].upper(), "ab" * 20, "HEAD", "--all", shas[0]])
    assert (first.sha, first.message, first.author) == (shas[0], "First\n\nWith a body.", "Ada")
    assert (first.date_ms, first.truncated) == (1_700_000_000_000, False)
    assert {(file.path, file.status) for file in first.files} == {
        ("a.txt", "added"),
        ("b.bin", "added"),
        ("gone.txt", "added"),
    }
    assert (second.sha, second.author, second.date_ms) == (shas[1], "Grace Hopper", 1_700_000_100_000)
    by_path = {file.path: file for file in second.files}
    moved = by_path["src/moved.txt"]
    assert moved.blob is not None
    assert moved == ChangedFile("src/moved.txt", "renamed", "a.txt", moved.blob)
    assert by_path["gone.txt"] == ChangedFile("gone.txt", "deleted", None, None)
    assert by_path["b.bin"].status == "modified"
    assert "rename from a.txt" in second.diff
    assert "+one more\n" in second.diff
    assert "Binary files a/b.bin and b/b.bin differ" in second.diff
    assert "-old\n" in second.diff
    moved_text = await repositories.read_file(url, None, shas[1], "src/moved.txt")
    assert moved_text == _LINES + b"one more\n"


async def test_invalid_utf8_in_names_and_messages_is_replaced(server: GitServer, repositories: Repositories) -> None:
    [sha] = _serve(server, Commit(b"caf\xe9 \xff", {b"d\xe9j\xe0.txt": b"x\n", "schön.txt".encode(): b"\xe9\n"}))
    [commit] = await repositories.commits(server.url("o/r"), None, [sha])
    assert commit.message == "caf\ufffd \ufffd"
    assert {file.path for file in commit.files} == {"d\ufffdj\ufffd.txt", "schön.txt"}
    assert "+++ b/schön.txt" in commit.diff
    assert await repositories.read_file(server.url("o/r"), None, sha, "schön.txt") == b"\xe9\n"


async def test_large_commits_are_truncated_and_marked(server: GitServer, repositories: Repositories) -> None:
    long = b"".join(b"number %d\n" % number for number in range(20_000))
    shas = _serve(
        server,
        Commit(b"long", {b"long.txt": long}),
        Commit(b"many", {b"many/%04d.txt" % number: b"%d\n" % number for number in range(350)}),
        Commit(b"m" * 100_000, {b"a": b"a\n"}),
        Commit(b"small", {b"a": b"b\n"}),
    )
    commits = await repositories.commits(server.url("o/r"), None, shas, max_diff_bytes=10_000)
    cut, many, long_message, small = commits
    assert cut.truncated
    assert 9_000 < len(cut.diff) <= 10_000
    assert cut.diff.endswith("\n")
    assert many.truncated
    assert len(many.files) == 350
    assert "b/many/0000.txt" in many.diff
    assert long_message.truncated
    assert len(long_message.message) < 70_000
    assert "+a\n" in long_message.diff
    assert not small.truncated
    assert "-a\n+b\n" in small.diff


async def test_only_text_files_of_moderate_size_are_read(server: GitServer, repositories: Repositories) -> None:
    [sha] = _serve(
        server,
        Commit(
            b"files",
            {b"dir/-x.txt": b"hello\n", b"bin": b"a\0b", b"big": b"x" * 2_000, b"link": b"/etc/passwd", b"*": b"star"},
            modes={b"link": "120000"},
        ),
    )
    url = server.url("o/r")
    assert await repositories.read_file(url, None, sha, "dir/-x.txt") == b"hello\n"
    assert await repositories.read_file(url, None, sha[:8], "*") == b"star"
    for path in ("bin", "link", "dir", "none", "-x.txt", ":(glob)**"):
        assert await repositories.read_file(url, None, sha, path) is None
    assert await repositories.read_file(url, None, sha, "big", max_bytes=1_999) is None
    assert await repositories.read_file(url, None, sha, "big", max_bytes=2_000) == b"x" * 2_000
    assert await repositories.read_file(url, None, "ab" * 20, "big") is None
    for path in ("../x", "dir/../bin", "/etc/passwd", "a\0b", "", "dir/"):
        with pytest.raises(RepositoryFailed):
            await repositories.read_file(url, None, sha, path)


async def test_new_commits_are_fetched_on_demand(server: GitServer, repositories: Repositories) -> None:
    [old] = _serve(server, Commit(b"one", {b"a": b"1\n"}))
    url = server.url("o/r")
    assert len(await repositories.commits(url, None, [old])) == 1
    [new] = add_commits(server.root / "o/r", [Commit(b"two", {b"b": b"2\n"})])
    before = len(server.calls)
    assert len(await repositories.commits(url, None, [old])) == 1
    assert len(server.calls) == before
    [commit] = await repositories.commits(url, None, [new])
    assert commit.message == "two"
    [hidden] = add_commits(server.root / "o/r", [Commit(b"three", {b"c": b"3\n"})], "short-lived")
    (server.root / "o/r/refs/heads/short-lived").unlink()
    assert [commit.message for commit in await repositories.commits(url, None, [hidden])] == ["three"]
    [last] = add_commits(server.root / "o/r", [Commit(b"four", {b"d": b"4\n"})])
    later_ms = clock.now_ms() + 2 * clock.MINUTE_MS
    with clock.use(lambda: later_ms):
        assert len(await repositories.commits(url, None, [old])) == 1
        before = server.fetches()
        assert [commit.message for commit in await repositories.commits(url, None, [last])] == ["four"]
        assert server.fetches() == before + 1  # the commit itself is already here


async def test_concurrent_calls_fetch_once(server: GitServer, repositories: Repositories) -> None:
    [sha] = _serve(server, Commit(b"one", {b"a": b"1\n"}))
    url = server.url("o/r")
    results = await asyncio.gather(*(repositories.commits(url, None, [sha]) for _ in range(4)))
    assert {len(commits) for commits in results} == {1}
    assert server.fetches() == 2  # the history, and the contents


async def test_processes_that_share_the_folder_fetch_once(
    server: GitServer, repositories: Repositories, authority: Authority, tmp_path: Path
) -> None:
    [sha] = _serve(server, Commit(b"one", {b"a": b"1\n"}))
    other = Repositories(tmp_path / "copies", Guard(_LOOPBACK), ca_file=str(authority.ca_file))
    url = server.url("o/r")
    await asyncio.gather(repositories.commits(url, None, [sha]), other.commits(url + "/", None, [sha]))
    assert server.fetches() == 2


async def test_sha256_repository_is_read(server: GitServer, repositories: Repositories) -> None:
    [sha] = _serve(server, Commit(b"one", {b"a": b"1\n"}), hash_name="sha256")
    assert len(sha) == 64
    [commit] = await repositories.commits(server.url("o/r"), None, [sha])
    assert "+1\n" in commit.diff
