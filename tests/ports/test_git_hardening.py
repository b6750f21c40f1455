"""Hostile repositories, hosts and git settings do no harm, and access tokens do not leak."""

from __future__ import annotations

import asyncio
import base64
import os
from contextlib import suppress
from pathlib import Path

import pytest

from loremark.base import clock
from loremark.ports.git.repository import Repositories, RepositoryFailed
from loremark.ports.outbound.guard import Guard
from tests.servers.addresses import Names
from tests.servers.git import Commit, GitServer, add_commits, make_repository
from tests.servers.https import Authority

pytestmark = pytest.mark.anyio

_LOOPBACK = ("127.0.0.0/8", "::1/128")
_TOKEN = "ghp_thisIsVerySecret0123456789"
_SECRETS = (_TOKEN.encode(), base64.b64encode(f"x-access-token:{_TOKEN}".encode()))


@pytest.fixture(scope="module")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    return "asyncio", {"use_uvloop": True}  # like the service; uvloop handles processes and pipes differently


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


def _reader(
    copies: Path,
    authority: Authority,
    *,
    timeout_s: float = 20.0,
    max_mirror_bytes: int = 1024**3,
    allowed: tuple[str, ...] = _LOOPBACK,
) -> Repositories:
    ca_file = str(authority.ca_file)
    return Repositories(copies, Guard(allowed), ca_file=ca_file, timeout_s=timeout_s, max_mirror_bytes=max_mirror_bytes)


def _serve(server: GitServer, *commits: Commit, filters: bool = True) -> list[str]:
    make_repository(server.root / "o/r", [], filters=filters)
    return add_commits(server.root / "o/r", commits or [Commit(b"one", {b"a": b"1\n"})])


def _processes(word: str) -> dict[str, bytes]:
    """The command lines of running processes whose environment or command line contains a word."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (folder / "cmdline").read_bytes(), (folder / "environ").read_bytes()
        except OSError:
            continue
        if folder.name != str(os.getpid()) and word.encode() in command + environment:
            found[folder.name] = command
    return found


def _contains_secret(folder: Path) -> bool:
    contents = (path.read_bytes() + str(path).encode() for path in folder.rglob("*") if path.is_file())
    return any(secret in content for content in contents for secret in _SECRETS)


async def test_private_repository_is_read_only_with_its_token(
    server: GitServer, authority: Authority, copies: Path
) -> None:
    server.token = _TOKEN
    [sha] = _serve(server)
    reader, url = _reader(copies, authority), server.url("o/r")
    assert len(await reader.commits(url, _TOKEN, [sha])) == 1
    with pytest.raises(RepositoryFailed, match="cannot be read without an access token"):
        await reader.commits(url, None, [sha])
    with pytest.raises(RepositoryFailed, match="rejected the access token") as refusal:
        await reader.read_file(url, _TOKEN + "x", sha, "a")
    assert _TOKEN not in str(refusal.value) + repr(refusal.value.__context__)
    assert not _contains_secret(copies)
    server.token = "another"
    later_ms = clock.now_ms() + 2 * clock.MINUTE_MS
    with clock.use(lambda: later_ms), pytest.raises(RepositoryFailed, match="rejected"):
        await reader.commits(url, _TOKEN, [sha])


async def test_silent_host_times_out_and_no_process_exposes_the_token(
    server: GitServer, authority: Authority, copies: Path
) -> None:
    server.token = _TOKEN
    [sha] = _serve(server)
    url = server.url("silent/o/r")
    call = asyncio.create_task(_reader(copies, authority, timeout_s=4.0).commits(url, _TOKEN, [sha]))
    assert await asyncio.to_thread(server.went_silent.wait, 4.0)
    running = _processes(str(copies))
    assert len(running) >= 2
    assert not any(secret in command for command in running.values() for secret in _SECRETS)
    assert not _contains_secret(copies)
    with pytest.raises(RepositoryFailed, match="could not be read in time"):
        await call
    assert _processes(str(copies)) == {}
    assert not list(copies.rglob("*.git"))


async def test_redirects_are_not_followed(server: GitServer, authority: Authority, copies: Path) -> None:
    [sha] = _serve(server)
    with pytest.raises(RepositoryFailed, match="redirects are not followed"):
        await _reader(copies, authority).commits(server.url("moved/o/r"), _TOKEN, [sha])
    assert len(server.calls) == 1


async def test_git_connects_to_the_checked_address(
    server: GitServer, authority: Authority, copies: Path, names: Names
) -> None:
    [sha] = _serve(server)
    names.set("hooks.example.com", "127.0.0.1")
    url = server.url("o/r", host="hooks.example.com")
    with pytest.raises(RepositoryFailed, match="private or reserved"):
        await _reader(copies, authority, allowed=()).commits(url, None, [sha])
    assert server.calls == []
    assert len(await _reader(copies, authority).commits(url, None, [sha])) == 1


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/o/r",
        "ssh://git@127.0.0.1/o/r",
        "file:///etc",
        "/etc",
        "ext::sh -c touch% /tmp/x",
        "https://u:p@127.0.0.1/o/r",
        "https://127.0.0.1/",
        "https://127.0.0.1/o/r?x=1",
        "--upload-pack=touch",
    ],
)
async def test_only_plain_https_urls_are_accepted(url: str, authority: Authority, copies: Path) -> None:
    with pytest.raises(RepositoryFailed, match="must have the form"):
        await _reader(copies, authority).commits(url, None, ["ab" * 20])
    assert not copies.exists()


async def test_failures_have_our_own_messages(server: GitServer, authority: Authority, copies: Path) -> None:
    [sha] = _serve(server)
    with pytest.raises(RepositoryFailed, match="was not found"):
        await _reader(copies, authority).commits(server.url("o/none"), None, [sha])
    with pytest.raises(RepositoryFailed, match="TLS certificate"):
        await Repositories(copies, Guard(_LOOPBACK)).commits(server.url("o/r"), None, [sha])
    server.stop()
    with pytest.raises(RepositoryFailed, match="cannot be reached"):
        await _reader(copies, authority).commits(server.url("o/r"), None, [sha])


async def test_hostile_repository_and_settings_run_no_programs(
    server: GitServer, authority: Authority, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = tmp_path / "ran"
    touch = f"touch {ran} #"
    settings = (
        f'[core]\nfsmonitor = "{touch}"\nhooksPath = {tmp_path}\nsshCommand = "{touch}"\naskPass = "{touch}"\n'
        f'[diff]\nexternal = "{touch}"\n[diff "evil"]\ntextconv = "{touch}"\ncommand = "{touch}"\n'
        f'[filter "evil"]\nsmudge = "{touch}"\nclean = "{touch}"\nprocess = "{touch}"\n'
        f'[credential]\nhelper = "!{touch}"\n[protocol]\nallow = always\n'
    )
    (tmp_path / ".gitconfig").write_text(settings)
    (tmp_path / "reference-transaction").write_text(f"#!/bin/sh\n{touch}\n")
    (tmp_path / "reference-transaction").chmod(0o755)
    for name, value in {
        "HOME": str(tmp_path),
        "GIT_CONFIG_GLOBAL": str(tmp_path / ".gitconfig"),
        "GIT_EXTERNAL_DIFF": touch,
        "GIT_ASKPASS": touch,
        "GIT_SSL_CAINFO": "/dev/null",
        "GIT_DIR": str(tmp_path),
        "HTTPS_PROXY": "http://127.0.0.1:9",
        "GIT_TRACE": str(tmp_path / "trace"),
    }.items():
        monkeypatch.setenv(name, value)
    modules = f'[submodule "s"]\n\tpath = s\n\turl = ext::sh -c "{touch}"\n\tupdate = !{touch}\n'.encode()
    attributes = b"* diff=evil filter=evil merge=evil text eol=crlf working-tree-encoding=UTF-16\n"
    files = {b".gitmodules": modules, b".gitattributes": attributes, b"config": settings.encode(), b"s": b"ab" * 20}
    shas = _serve(
        server,
        Commit(b"trap", {**files, b"hooks/post-checkout": touch.encode(), b"a.txt": b"1\n"}, {b"s": "160000"}),
        Commit(b"sprung", {b"a.txt": b"2\n", b"s": b"cd" * 20}, {b"s": "160000"}),
    )
    reader, url = _reader(copies, authority), server.url("o/r")
    commits = await reader.commits(url, None, shas)
    assert "-1\n+2\n" in commits[1].diff
    assert {file.path: file.blob for file in commits[1].files}["s"] is None
    assert await reader.read_file(url, None, shas[1], "a.txt") == b"2\n"
    server.token = _TOKEN
    with pytest.raises(RepositoryFailed):  # git would ask for a password here
        await reader.commits(url, "wrong", shas)
    assert not ran.exists()
    assert not (tmp_path / "trace").exists()
    [copy] = copies.rglob("*.git")
    assert not (copy / "hooks").exists()
    assert "url" not in (copy / "config").read_text()


async def test_oversized_repository_is_refused_and_removed(
    server: GitServer, authority: Authority, copies: Path
) -> None:
    [sha] = _serve(server, Commit(b"large", {b"large": os.urandom(3_000_000)}), filters=False)
    with pytest.raises(RepositoryFailed, match="too large"):
        await _reader(copies, authority, max_mirror_bytes=1_000_000).commits(server.url("o/r"), None, [sha])
    assert not list(copies.rglob("*pack*"))


async def test_oversized_commit_is_returned_without_its_diff(
    server: GitServer, authority: Authority, copies: Path
) -> None:
    large, small = _serve(
        server,
        Commit(b"large", {b"large": os.urandom(3_000_000)}),
        Commit(b"small", {b"a": b"1\n"}),
    )
    reader, url = _reader(copies, authority, max_mirror_bytes=1_000_000), server.url("o/r")
    for _ in range(2):
        first, second = await reader.commits(url, None, [large, small])
        assert ([file.path for file in first.files], first.diff, first.truncated) == (["large"], "", True)
        assert ("+1\n" in second.diff, second.truncated) == (True, False)
    assert await reader.read_file(url, None, small, "large") is None
    assert sum(path.stat().st_size for path in copies.rglob("*pack*") if path.is_file()) < 1_000_000


async def test_leftovers_of_a_killed_git_are_removed(server: GitServer, authority: Authority, copies: Path) -> None:
    shas = _serve(server)
    reader, url = _reader(copies, authority), server.url("o/r")
    assert len(await reader.commits(url, None, shas)) == 1
    [copy] = copies.rglob("*.git")
    leftovers = [copy / "objects/pack/tmp_pack_x", copy / "packed-refs.lock", copy / "refs/heads/main.lock"]
    for path in leftovers:
        path.write_bytes(b"x")
    [new] = add_commits(server.root / "o/r", [Commit(b"two", {b"b": b"2\n"})])
    assert len(await reader.commits(url, None, [new])) == 1
    assert not any(path.exists() for path in leftovers)
    for pack in copy.rglob("*.pack"):
        pack.chmod(0o600)
        pack.write_bytes(b"damaged")
    later_ms = clock.now_ms() + 2 * clock.MINUTE_MS
    with clock.use(lambda: later_ms):
        with suppress(RepositoryFailed):
            await reader.commits(url, None, [new])  # the damage is detected here at the latest
        assert len(await reader.commits(url, None, [new])) == 1


async def test_git_too_old_to_pin_an_address_is_refused(
    authority: Authority, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "bin" / "git"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho git version 2.36.9\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(old.parent))
    with pytest.raises(RepositoryFailed, match=r"older than 2\.37"):
        await _reader(copies, authority).commits("https://127.0.0.1/o/r", None, ["ab" * 20])
