"""Snapshots of a whole commit from a real git server: fetched once, read in batches, cancelled without a trace."""

from __future__ import annotations

import asyncio
import base64
import fcntl
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.ports.git.remote import mirror_name
from loremark.ports.git.repository import PastCommit, Repositories, RepositoryFailed, TreeEntry
from loremark.ports.outbound.guard import Guard
from tests.servers.git import Commit, GitServer, add_commits, make_repository, run_git
from tests.servers.https import Authority

pytestmark = pytest.mark.anyio

_LOOPBACK = ("127.0.0.0/8", "::1/128")
_TOKEN = "ghp_thisIsVerySecret0123456789"
_SECRETS = (_TOKEN.encode(), base64.b64encode(f"x-access-token:{_TOKEN}".encode()))
_LIMIT = 1_048_576


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}  # like the service; uvloop handles processes and pipes differently


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@pytest.fixture
def reader(authority: Authority, copies: Path) -> Repositories:
    return _reader(authority, copies)


def _reader(authority: Authority, copies: Path) -> Repositories:
    return Repositories(copies, Guard(_LOOPBACK), ca_file=str(authority.ca_file), timeout_s=20.0)


def _serve(server: GitServer, *commits: Commit, filters: bool = True, hash_name: str = "sha1") -> list[str]:
    make_repository(server.root / "o/r", [], filters=filters, hash_name=hash_name)
    return add_commits(server.root / "o/r", commits or [Commit(b"one", {b"a": b"1\n"})])


def _processes(copies: Path) -> dict[str, bytes]:
    """The command lines of running processes whose environment or command line contains the folder."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
            if folder.name != str(os.getpid()) and str(copies).encode() in command + environment:
                found[folder.name] = command
    return found


def _is_locked(copies: Path) -> bool:
    for path in copies.glob("*.lock"):
        with path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
    return False


def _contains_secret(folder: Path) -> bool:
    contents = (path.read_bytes() + str(path).encode() for path in folder.rglob("*") if path.is_file())
    return any(secret in content for content in contents for secret in _SECRETS)


async def _is_idle(copies: Path) -> bool:
    """Whether nothing is running or locked; a killed process may take a moment to disappear."""
    for _ in range(100):
        if not _processes(copies) and not _is_locked(copies):
            return True
        await asyncio.sleep(0.02)
    return False


async def _tip(reader: Repositories, url: str, token: str | None = None, branch: str | None = None) -> str:
    async with reader.snapshot(url, token, branch=branch) as snapshot:
        return snapshot.commit


@pytest.mark.parametrize("filters", [True, False])
@pytest.mark.parametrize("hash_name", ["sha1", "sha256"])
async def test_tree_is_fetched_once_listed_and_read(
    server: GitServer, reader: Repositories, copies: Path, filters: bool, hash_name: str
) -> None:
    files = {
        b"src/a.py": b"print()\n",
        b"full": b"f" * _LIMIT,
        b"huge": b"h" * (_LIMIT + 1),
        b"run": b"#!",
        b"empty": b"",
    }
    first, tip = _serve(
        server,
        Commit(b"First\n\nbody", {b"gone": b"old", b"link": b"run"}, {b"link": "120000"}),
        Commit(b"caf\xe9", {b"gone": None, **files}, {b"run": "100755"}, b"Grace", 1_700_000_100),
        filters=filters,
        hash_name=hash_name,
    )
    url = server.url("o/r")
    async with reader.snapshot(url, None) as snapshot:
        assert (snapshot.commit, snapshot.branch) == (tip, "main")
        entries = {entry.path: entry for entry in await snapshot.entries()}
        assert {path: entry.size_bytes for path, entry in entries.items()} == {
            "empty": 0,
            "full": _LIMIT,
            "huge": None if filters else _LIMIT + 1,
            "run": 2,
            "src/a.py": 8,
        }
        blobs = {path: entry.blob for path, entry in entries.items()}
        requested = [*blobs.values(), blobs["run"], "ab" * 20, "HEAD", f"{tip}:full", tip, "x\ny"]
        expected = {blobs[path.decode()]: content for path, content in files.items() if path != b"huge"}
        assert await snapshot.read(requested) == expected
        assert await snapshot.read([blobs["full"], blobs["run"]], max_bytes=100) == {blobs["run"]: b"#!"}
        assert server.fetches() == 1
        assert await snapshot.commits() == [
            PastCommit(tip, "caf\ufffd", "Grace", 1_700_000_100_000),
            PastCommit(first, "First", "Ada", 1_700_000_000_000),
        ]
        assert [commit.sha for commit in await snapshot.commits(1)] == [tip]
    before = server.fetches()
    async with reader.snapshot(url, None, branch="main") as again:
        assert {entry.path: entry for entry in await again.entries()} == entries
    assert server.fetches() == before
    [copy] = copies.glob("*-tips/*.git")
    [new] = add_commits(server.root / "o/r", [Commit(b"third", {b"new": b"n"})])
    assert await _tip(reader, url, branch="main") == new
    assert server.fetches() == before + 1
    assert "url" not in (copy / "config").read_text()


async def test_failures_are_reported_in_plain_sentences(
    server: GitServer, reader: Repositories, copies: Path, caplog: pytest.LogCaptureFixture
) -> None:
    [tip] = _serve(server)
    url = server.url("o/r")
    make_repository(server.root / "o/empty", [])
    make_repository(server.root / "o/headless", [])
    add_commits(server.root / "o/headless", [Commit(b"x", {b"a": b"a"})], "other")
    sentences = {
        ("o/r", "release/1.0"): "The repository has no branch named `release/1.0`.",
        ("o/r", "abc\u202edef"): "The repository has no branch with that name.",
        ("o/r", "--upload-pack=x"): "Invalid branch name or commit hash.",
        ("o/r", "lone\ud800"): "Invalid branch name or commit hash.",
        ("o/empty", None): "The repository is empty: it has no commits yet.",
        ("o/empty", "main"): "The repository is empty: it has no commits yet.",
        ("o/headless", None): "The repository's default branch has no commits; name another branch.",
        ("o/none", None): "The repository was not found, or its access token cannot read it.",
        ("moved/o/r", None): "The repository has moved. Update its URL: redirects are not followed.",
    }
    for name in ("--all", "a..b", "main^{tree}", "main:a", "x\ny", ""):
        sentences["o/r", name] = "Invalid branch name or commit hash."
    for (path, branch), sentence in sentences.items():
        with pytest.raises(RepositoryFailed) as failed:
            await _tip(reader, server.url(path), branch=branch)
        assert str(failed.value) == sentence
    for commit, words in {"ab" * 20: "no longer has that commit", "abcdef0": "40 or 64"}.items():
        with pytest.raises(RepositoryFailed, match=words):
            async with reader.snapshot(url, None, commit=commit):
                pass
    with pytest.raises(RepositoryFailed, match="no commit with that hash"):
        async with reader.snapshot(
            url, None, commit=run_git(server.root / "o/r", "rev-parse", "main:a").decode().strip()
        ):
            pass
    server.token = _TOKEN
    with pytest.raises(RepositoryFailed, match="cannot be read without an access token"):
        await _tip(reader, url)
    with pytest.raises(RepositoryFailed, match="rejected the access token") as refused:
        await _tip(reader, url, _TOKEN + "x")
    assert await _tip(reader, url, _TOKEN) == tip
    server.stop()
    with pytest.raises(RepositoryFailed, match="cannot be reached"):
        await _tip(reader, url, _TOKEN)
    assert _TOKEN not in caplog.text + str(refused.value) + repr(refused.value.__context__)
    assert not _contains_secret(copies)
    assert len(list(copies.glob("*-tips/*"))) == 1


async def test_commit_is_read_again_elsewhere_only_with_access_to_the_host(
    server: GitServer, authority: Authority, reader: Repositories, tmp_path: Path
) -> None:
    server.token = _TOKEN
    old, _ = _serve(server, Commit(b"one", {b"a": b"1"}), Commit(b"two", {b"a": b"2"}))
    url = server.url("o/r")
    for _ in range(2):
        async with reader.snapshot(url, _TOKEN, branch="main", commit=old) as snapshot:
            assert list((await snapshot.read([(await snapshot.entries())[0].blob])).values()) == [b"1"]
    assert (server.fetches(), server.calls.count("refs")) == (1, 0)  # checked a moment ago
    server.token = "another"
    later_ms = clock.now_ms() + 2 * clock.MINUTE_MS
    with clock.use(lambda: later_ms), pytest.raises(RepositoryFailed, match="rejected"):
        async with reader.snapshot(url, _TOKEN, commit=old):
            pass
    async with _reader(authority, tmp_path / "elsewhere").snapshot(url, "another", commit=old.upper()) as snapshot:
        assert [entry.size_bytes for entry in await snapshot.entries()] == [1]


async def test_missing_or_damaged_copy_is_fetched_again(server: GitServer, reader: Repositories, copies: Path) -> None:
    [tip] = _serve(server)
    url = server.url("o/r")
    async with reader.snapshot(url, None) as snapshot:
        [entry] = await snapshot.entries()
        assert await reader.mirrors.keep(mirror_name(url), ())
        assert not list(copies.rglob("*.git"))
        assert await snapshot.read([entry.blob]) == {entry.blob: b"1\n"}
        for pack in copies.rglob("*.pack"):
            pack.chmod(0o600)
            pack.write_bytes(b"damaged")
        assert await snapshot.entries() == [entry]
        [copy] = copies.glob("*-tips/*.git")
        (copy / "loremark-fetched").unlink()  # as if we had crashed in the middle of it
        (copy.with_name("left.git.removed") / "objects").mkdir(parents=True)
        assert [commit.sha for commit in await snapshot.commits()] == [tip]
        assert await snapshot.entries() == [entry]
    for number in range(6):
        add_commits(server.root / "o/r", [Commit(b"more", {b"b": b"%d" % number})])
        await _tip(reader, url)
    assert len(list(copies.glob("*-tips/*"))) == 4


async def test_concurrent_readers_share_one_fetch(
    server: GitServer, authority: Authority, reader: Repositories, copies: Path
) -> None:
    _serve(server, Commit(b"one", {b"%d" % number: b"%d" % number for number in range(50)}))
    url = server.url("o/r")

    async def read(by: Repositories) -> tuple[list[TreeEntry], dict[str, bytes]]:
        async with by.snapshot(url, None) as snapshot:
            entries = await snapshot.entries()
            return entries, await snapshot.read([entry.blob for entry in entries])

    one, two = await asyncio.gather(read(reader), read(_reader(authority, copies)))
    assert one == two
    assert len(one[1]) == 50
    assert server.fetches() == 1


async def test_cancelled_fetch_leaves_no_process_lock_or_secret(
    server: GitServer, reader: Repositories, copies: Path
) -> None:
    server.token = _TOKEN
    _serve(server)
    fetching = asyncio.create_task(_tip(reader, server.url("silent/o/r"), _TOKEN))
    assert await asyncio.to_thread(server.went_silent.wait, 10.0)
    running = _processes(copies)
    assert len(running) >= 2
    assert not any(secret in command for command in running.values() for secret in _SECRETS)
    assert not _contains_secret(copies)
    assert _is_locked(copies)
    fetching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await fetching
    assert await _is_idle(copies)
    assert not list(copies.glob("*-tips/*"))
    with pytest.raises(RepositoryFailed, match="could not be read in time"):
        async with reader.snapshot(server.url("silent/o/r"), _TOKEN, timeout_s=1.5):
            pass
    assert await _is_idle(copies)
    for step in range(40):  # at any point of the fetch
        fetching = asyncio.create_task(_tip(reader, server.url("o/r"), _TOKEN))
        await asyncio.sleep(step * 0.005)
        fetching.cancel()
        with suppress(asyncio.CancelledError):
            await fetching
        assert await _is_idle(copies)
        assert await reader.mirrors.keep(mirror_name(server.url("o/r")), ())
    assert await _tip(reader, server.url("o/r"), _TOKEN)


_FETCH_SCRIPT = """
import asyncio, sys
from pathlib import Path
from loremark.ports.git.repository import Repositories
from loremark.ports.outbound.guard import Guard

async def fetch() -> None:
    reader = Repositories(Path(sys.argv[1]), Guard(("127.0.0.0/8",)), ca_file=sys.argv[2])
    async with reader.snapshot(sys.argv[3], None):
        pass

asyncio.run(fetch())
"""


async def test_killed_reader_does_not_block_the_next_one(
    server: GitServer, authority: Authority, reader: Repositories, copies: Path
) -> None:
    _serve(server)
    arguments = [str(copies), str(authority.ca_file), server.url("silent/o/r")]
    with subprocess.Popen([sys.executable, "-c", _FETCH_SCRIPT, *arguments]) as other:
        assert await asyncio.to_thread(server.went_silent.wait, 20.0)
        other.kill()
    assert _is_locked(copies)  # by the git process that is still running
    server.hang_up()
    assert await _is_idle(copies)
    leftovers = list(copies.glob("*-tips/*"))
    assert leftovers
    server.is_silent = False
    async with reader.snapshot(arguments[-1], None) as snapshot:
        assert len(await snapshot.entries()) == 1
    assert len(list(copies.glob("*-tips/*"))) == 1


@pytest.mark.nightly
async def test_twenty_thousand_files_are_read(server: GitServer, reader: Repositories, copies: Path) -> None:
    line = b"def function_%d(argument):\n    return argument + %d\n\n"
    names = {b"src/part%d/module%d.py" % (number % 300, number): number for number in range(20_000)}
    _serve(server, Commit(b"all", {name: (line % (number, number)) * 40 for name, number in names.items()}))
    async with reader.snapshot(server.url("o/r"), None) as snapshot:
        entries = await snapshot.entries()
        contents = await snapshot.read([entry.blob for entry in entries[:5_000]])
    assert len(entries) == 20_000
    assert all(entry.size_bytes == len(contents[entry.blob]) for entry in entries[:5_000])
    assert sum(map(len, contents.values())) > 8 * 1024 * 1024  # more than one batch
