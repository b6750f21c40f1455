"""Snapshots of hostile repositories: path traversal, odd names, and decompression bombs."""

from __future__ import annotations

import hashlib
import os
import time
import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from loremark.ports.git.repository import Repositories, RepositoryFailed, Snapshot
from loremark.ports.outbound.guard import Guard
from tests.servers.git import Commit, GitServer, add_commits, import_pieces, make_repository, run_git
from tests.servers.https import Authority

pytestmark = pytest.mark.anyio

_LOOPBACK = ("127.0.0.0/8", "::1/128")
_MIB = 1024 * 1024
_LIMIT = 1_048_576
_MEMORY = 64 * _MIB


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}


@pytest.fixture
def served(server: GitServer) -> Path:
    make_repository(server.root / "o/r", [])
    return server.root / "o/r"


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@asynccontextmanager
async def _snapshot(
    server: GitServer, authority: Authority, copies: Path, *, max_bytes: int = 1024**3
) -> AsyncIterator[Snapshot]:
    ca_file = str(authority.ca_file)
    reader = Repositories(copies, Guard(_LOOPBACK), ca_file=ca_file, max_mirror_bytes=max_bytes)
    async with reader.snapshot(server.url("o/r"), None, timeout_s=60.0) as snapshot:
        yield snapshot


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _reset_peak_memory() -> int:
    """Reset the kernel's peak memory counter of this process, and return its current memory."""
    Path("/proc/self/clear_refs").write_text("5")
    return _memory("VmRSS")


def _memory(name: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def _tree(served: Path, entries: list[bytes]) -> str:
    return run_git(served, "mktree", "-z", stdin=b"".join(entry + b"\0" for entry in entries)).decode().strip()


def _blob(served: Path, content: bytes) -> str:
    return run_git(served, "hash-object", "-w", "--stdin", stdin=content).decode().strip()


def _commit(served: Path, tree: str) -> None:
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    commit = run_git(served, *identity, "commit-tree", "-m", "made by hand", tree).decode().strip()
    run_git(served, "update-ref", "refs/heads/main", commit)


async def test_no_path_escapes_the_tree_and_nothing_is_run(
    server: GitServer, served: Path, authority: Authority, copies: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("outside")
    ran = tmp_path / "ran"
    targets = (b"/etc/passwd", b"../../x", str(tmp_path / "secret").encode(), b".git/config")
    links = {b"link%d" % number: target for number, target in enumerate(targets)}
    modules = (
        f'[submodule "a"]\n\tpath = a\n\turl = ext::sh -c "touch {ran}"\n'
        f'[submodule "b"]\n\tpath = b\n\turl = ssh://-oProxyCommand=touch${{IFS}}{ran}/x\n'
        f'[submodule "c"]\n\tpath = c\n\turl = file:///etc\n\tupdate = !touch {ran}\n'
    ).encode()
    texts = {
        b".gitmodules": modules,
        b".gitattributes": b"* filter=evil diff=evil text eol=crlf working-tree-encoding=UTF-16 ident\n",
        b"plain.txt": b"$Id$\nplain\n",
        b'"new\\nline"': b"1",
        b'"tab\\there"': b"2",
        b'"quote\\"\\\\"': b"3",
        b"latin\xe9": b"4",
        b"-rf": b"5",
        b":(glob)**": b"6",
        b"\xf0\x9f\x92\xa9 \xe2\x80\xae": b"7",
    }
    modes = dict.fromkeys(links, "120000") | {b"c": "160000"}
    add_commits(served, [Commit(b"odd", {**texts, **links, b"c": b"ab" * 20}, modes)])
    async with _snapshot(server, authority, copies) as snapshot:
        entries = await snapshot.entries()
        contents = await snapshot.read([entry.blob for entry in entries])
    names = {".gitmodules", ".gitattributes", "plain.txt", "new\nline", "tab\there", 'quote"\\', "latin\ufffd", "-rf"}
    assert {entry.path for entry in entries} == names | {":(glob)**", "\U0001f4a9 \u202e"}
    assert sorted(contents.values()) == sorted(texts.values())
    assert not ran.exists()
    assert not any(path.is_symlink() for path in copies.rglob("*"))


async def test_tree_that_git_would_not_create_is_only_a_list_of_names(
    server: GitServer, served: Path, authority: Authority, copies: Path
) -> None:
    config = _blob(served, b"[core]\n\tsshCommand = touch ran\n")
    other = _blob(served, b"other")
    inner = _tree(served, [b"100644 blob %s\tconfig" % config.encode(), b"100666 blob %s\t..\\x" % other.encode()])
    entries = [b"040000 tree %s\t%s" % (inner.encode(), name) for name in (b".git", b"..", b".GIT")]
    _commit(
        served,
        _tree(served, [*entries, b"100644 blob %s\tC:" % other.encode()]),
    )
    async with _snapshot(server, authority, copies) as snapshot:
        paths = {entry.path: entry.blob for entry in await snapshot.entries()}
        assert set(paths) >= {".git/config", "../config", "../..\\x", "C:"}
        assert (await snapshot.read([paths[".git/config"]]))[config].startswith(b"[core]")
    [copy] = copies.glob("*-tips/*.git")
    assert "sshCommand" not in (copy / "config").read_text()


@pytest.mark.parametrize("filters", [pytest.param(True, marks=pytest.mark.nightly), False])
@pytest.mark.parametrize("mebibytes", [100, pytest.param(2_048, marks=pytest.mark.slow)])
async def test_huge_file_is_never_read(
    server: GitServer, served: Path, authority: Authority, copies: Path, filters: bool, mebibytes: int
) -> None:
    run_git(served, "config", "uploadpack.allowFilter", str(filters).lower())
    run_git(served, "config", "core.bigFileThreshold", "1m")

    def pieces() -> Iterator[bytes]:
        yield b"commit refs/heads/main\ncommitter C <c@example.com> 1 +0000\ndata 1\nx\n"
        yield b"M 100644 inline small\ndata 5\nsmall\nM 100644 inline huge\ndata %d\n" % (mebibytes * _MIB)
        zeros = bytes(_MIB)
        for _ in range(mebibytes):
            yield zeros
        yield b"\n"

    import_pieces(served, pieces())
    memory = _reset_peak_memory()
    started = time.perf_counter()
    async with _snapshot(server, authority, copies, max_bytes=16 * _MIB) as snapshot:
        sizes = {entry.path: (entry.size_bytes, entry.blob) for entry in await snapshot.entries()}
        contents = await snapshot.read([blob for _, blob in sizes.values()])
    print(f"{mebibytes} MiB, filters {filters}: {time.perf_counter() - started:.1f} s")
    assert sizes["huge"][0] == (None if filters else mebibytes * _MIB)
    assert contents == {sizes["small"][1]: b"small"}
    assert _memory("VmHWM") - memory < _MEMORY
    assert _size(copies) < 16 * _MIB


@pytest.mark.nightly
async def test_highly_compressed_files_are_read_within_limits(
    server: GitServer, served: Path, authority: Authority, copies: Path
) -> None:
    similar = {b"%d" % number: (b"%06d" % number) + bytes(_LIMIT - 6) for number in range(400)}  # deltas and zeros
    add_commits(served, [Commit(b"bomb", dict(similar))])
    run_git(served, "repack", "-adfq", "--depth=250", "--window=2")
    async with _snapshot(server, authority, copies, max_bytes=16 * _MIB) as snapshot:
        blobs = [entry.blob for entry in await snapshot.entries()]
        memory = _reset_peak_memory()
        contents = await snapshot.read(blobs)
        assert _memory("VmHWM") - memory < _MEMORY
    assert _size(copies) < 16 * _MIB
    assert sum(map(len, contents.values())) == 32 * _MIB
    assert list(contents) == blobs[: len(contents)]
    assert all(len(content) == _LIMIT for content in contents.values())


def _packed(kind: int, content: bytes, before: bytes = b"") -> bytes:
    """Encode an object for a pack: its kind and size, first four and then seven bits at a time."""
    size, head = len(content) >> 4, bytearray([kind << 4 | len(content) & 15])
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head) + before + zlib.compress(content)


def _varint(value: int) -> bytes:
    digits = bytearray([value & 127])
    while value := value >> 7:
        digits[-1] |= 128
        digits.append(value & 127)
    return bytes(digits)


@pytest.mark.nightly
async def test_pack_that_expands_64_kib_per_byte_stays_within_limits(
    server: GitServer, served: Path, authority: Authority, copies: Path
) -> None:
    run_git(served, "config", "uploadpack.allowFilter", "false")
    base, times = b"0123456789abcdef" * 4_096, 3_200
    huge = hashlib.sha1(b"blob %d\0" % (len(base) * times))
    for _ in range(times):
        huge.update(base)
    first, small = hashlib.sha1(b"blob 65536\0" + base), hashlib.sha1(b"blob 9\x00012345678")
    expand = _varint(len(base)) + _varint(len(base) * times) + b"\x80" * times
    shrink = _varint(len(base) * times) + _varint(9) + b"\x90\x09"
    bodies = [_packed(3, base), _packed(7, expand, first.digest()), _packed(7, shrink, huge.digest())]
    pack = b"PACK" + (2).to_bytes(4, "big") + len(bodies).to_bytes(4, "big") + b"".join(bodies)
    run_git(served, "index-pack", "--stdin", stdin=pack + hashlib.sha1(pack).digest())
    names = {"base": first, "huge": huge, "small": small}
    _commit(served, _tree(served, [f"100644 blob {each.hexdigest()}\t{name}".encode() for name, each in names.items()]))
    async with _snapshot(server, authority, copies, max_bytes=16 * _MIB) as snapshot:
        memory = _reset_peak_memory()
        assert [entry.size_bytes for entry in await snapshot.entries()] == [65_536, 65_536 * times, 9]
        contents = await snapshot.read([each.hexdigest() for each in names.values()])
        assert _memory("VmHWM") - memory < _MEMORY
    assert contents == {first.hexdigest(): base, small.hexdigest(): b"012345678"}
    assert _size(copies) < _MIB


async def test_oversized_repository_is_refused_and_removed(
    server: GitServer, served: Path, authority: Authority, copies: Path
) -> None:
    add_commits(served, [Commit(b"noise", {b"%d" % number: os.urandom(200_000) for number in range(40)})])
    with pytest.raises(RepositoryFailed) as failed:
        async with _snapshot(server, authority, copies, max_bytes=4 * _MIB):
            pass
    assert str(failed.value) == "The repository is too large."
    assert _size(copies) < _MIB


async def test_deep_folders_are_listed(server: GitServer, served: Path, authority: Authority, copies: Path) -> None:
    add_commits(served, [Commit(b"deep", {b"d/" * 2_000 + b"file": b"deep", b"top": b"top"})])
    async with _snapshot(server, authority, copies) as snapshot:
        entries = await snapshot.entries()
        assert [len(entry.path) for entry in entries] == [4_004, 3]
        assert len(await snapshot.read([entry.blob for entry in entries])) == 2


@pytest.mark.nightly
async def test_too_many_files_are_refused_quickly(
    server: GitServer, served: Path, authority: Authority, copies: Path
) -> None:
    blob = _blob(served, b"same").encode()
    flat = _tree(served, [b"100644 blob %s\t%06d" % (blob, number) for number in range(300_000)])
    expanding = _tree(served, [b"100644 blob %s\t%d" % (blob, number) for number in range(10)])
    for _ in range(9):
        expanding = _tree(served, [b"040000 tree %s\t%d" % (expanding.encode(), number) for number in range(10)])
    nested = _tree(served, [b"100644 blob %s\tfile" % blob])
    for _ in range(5):
        nested = _tree(served, [b"040000 tree %s\t%d" % (nested.encode(), number) for number in range(10)])
    for tree, unit in ((flat, "files"), (expanding, "files"), (nested, "directories")):
        _commit(served, tree)
        started = time.perf_counter()
        async with _snapshot(server, authority, copies) as snapshot:
            memory = _reset_peak_memory()
            with pytest.raises(RepositoryFailed) as failed:
                await snapshot.entries()
            growth = _memory("VmHWM") - memory
        print(f"too many: {time.perf_counter() - started:.1f} s, {growth // _MIB} MiB")
        assert str(failed.value) == f"The repository has too many {unit}."
        assert growth < 2 * _MEMORY
