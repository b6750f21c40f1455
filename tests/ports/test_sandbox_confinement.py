"""A child that is taken over by what it reads can open neither a file nor a socket, nor start or reach a process."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from loremark.features.genesis import sandboxed_parser
from loremark.features.genesis.sandboxed_parser import SandboxedParser, list_protections
from loremark.memory.codebase.file_reader import read_file
from loremark.ports.sandbox.child import Child
from tests.support.source_samples import SAMPLES

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are Linux's")]

_TIMEOUT_S = 20.0
_CHILD = """
import ctypes, encodings.idna, errno, json, os, socket, subprocess, sys
from loremark.ports.sandbox.child import {setup}, read_frame, write_frame

key, port, parent = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
libc = ctypes.CDLL(None, use_errno=True)
{confine}

def call(*arguments):
    if libc.syscall(*arguments) < 0:
        raise OSError(ctypes.get_errno(), "")

attempts = {{
    "read the key": lambda: open(key, "rb"),
    "read a public file": lambda: open("/etc/passwd", "rb"),
    "read a file of its own": lambda: open(json.__file__, "rb"),
    "read its parent's environment": lambda: open(f"/proc/{{parent}}/environ", "rb"),
    "write a file": lambda: open(key + ".new", "wb"),
    "list a folder": lambda: os.listdir(os.path.dirname(key)),
    "delete the key": lambda: os.remove(key),
    "rename the key": lambda: os.rename(key, key + ".old"),
    "make a folder": lambda: os.mkdir(key + ".folder"),
    "change the mode": lambda: os.chmod(key, 0o666),
    "look for a file": lambda: os.stat(key),
    "connect": lambda: socket.create_connection(("127.0.0.1", port), 5),
    "open a socket": lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    "open a Unix socket": lambda: socket.socket(socket.AF_UNIX),
    "make a pair of sockets": socket.socketpair,
    "start a program": lambda: subprocess.run(["/bin/true"]),
    "fork": lambda: os.fork() or os._exit(0),
    "signal its parent": lambda: os.kill(parent, 0),
    "trace its parent": lambda: call({ptrace}, 16, parent, 0, 0),
    "read its parent's memory": lambda: call({readv}, parent, None, 0, None, 0, 0),
    "read its parent's limits": lambda: call({prlimit}, parent, 7, None, None),
    "set up io_uring": lambda: call(425, 8, ctypes.create_string_buffer(120)),
    "make a namespace": lambda: call({unshare}, 0x10000000),
    "run a program": lambda: os.execv("/bin/true", ["true"]),
}}
while (question := read_frame()) is not None:
    results = {{}}
    for name, attempt in attempts.items():
        try:
            attempt()
            results[name] = "done"
        except OSError as error:
            results[name] = errno.errorcode.get(error.errno, str(error.errno))
    write_frame(json.dumps(results).encode())
"""
_NUMBERS = {
    "x86_64": {"ptrace": 101, "readv": 310, "prlimit": 302, "unshare": 272},
    "aarch64": {"ptrace": 117, "readv": 270, "prlimit": 261, "unshare": 97},
}
_FILES = ("read the key", "read a public file", "read a file of its own", "write a file", "list a folder")
_OTHER_FILES = ("delete the key", "rename the key", "make a folder", "read its parent's environment")


async def _needs(*names: str) -> None:
    missing = {one.name for one in await list_protections() if not one.active} & set(names)
    if missing:
        pytest.skip(f"this kernel lacks {', '.join(sorted(missing))}")


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "encryption.key"
    path.write_text("the key")
    return path


@pytest.fixture
async def port() -> AsyncIterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


async def _attempts(key_file: Path, port: int, setup: str = "confine", confine: str = "confine()") -> dict[str, Any]:
    numbers = _NUMBERS.get(os.uname().machine)
    if numbers is None:
        pytest.skip(f"no system call numbers for {os.uname().machine}")
    script = _CHILD.format(setup=setup, confine=confine, **numbers)
    child = Child([sys.executable, "-I", "-c", script, str(key_file), str(port), str(os.getpid())])
    try:
        results: dict[str, Any] = json.loads(await child.ask(b"", _TIMEOUT_S))
    finally:
        await child.close()
    return results


async def test_child_reaches_no_file_socket_or_process(key_file: Path, port: int) -> None:
    await _needs("no new privileges", "Landlock", "seccomp")
    results = await _attempts(key_file, port)
    assert {name: result for name, result in results.items() if result not in ("EPERM", "EACCES")} == {}
    assert [path.name for path in key_file.parent.iterdir()] == [key_file.name]
    assert key_file.read_text() == "the key"


@pytest.mark.parametrize("missing", ["Landlock", "seccomp"])
async def test_each_protection_works_without_the_other(key_file: Path, port: int, missing: str) -> None:
    """As on a kernel that has only one of them."""
    await _needs("no new privileges", *({"Landlock", "seccomp"} - {missing}))
    module = "child.forbid_files" if missing == "Landlock" else "child.forbid_system_calls"
    lacks = f"from loremark.ports.sandbox import child\n{module} = lambda libc: False\nconfine()"
    results = await _attempts(key_file, port, confine=lacks)
    expected = {"EPERM"} if missing == "Landlock" else {"EACCES", "EPERM"}
    assert {results[name] for name in _FILES + _OTHER_FILES} <= expected
    assert results["connect"] in ("EPERM", "EACCES"), "Landlock forbids TCP since Linux 6.7"
    assert results["start a program"] in ("EPERM", "EACCES")
    if missing == "Landlock":
        assert set(results.values()) == {"EPERM"}


async def test_parser_says_what_confines_it() -> None:
    protections = await list_protections()
    assert [one.name for one in protections] == ["resource limits", "no new privileges", "Landlock", "seccomp"]
    assert protections[0].active


async def test_confined_parser_reads_every_kind_of_file() -> None:
    """Everything it needs is loaded before it gives up files."""
    parser = SandboxedParser()
    try:
        found, failed = await parser.read(SAMPLES)
    finally:
        await parser.close()
    assert failed == []
    assert found == {path: read_file(path, text) for path, text in SAMPLES.items()}


async def test_parser_that_does_not_start_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sandboxed_parser, "_COMMAND", ("/bin/false",))
    with pytest.raises(sandboxed_parser.ParserUnavailable):
        await list_protections()
