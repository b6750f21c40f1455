"""A child that hangs, exhausts memory, crashes or lies costs one answer and leaves no process behind."""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from loremark.ports.sandbox.child import Child, NoAnswer

pytestmark = pytest.mark.anyio

_TIMEOUT_S = 20.0
_SCRIPT = """
import ctypes, json, mmap, os, sys, time
from loremark.ports.sandbox.child import confine, read_frame, write_frame

confine()
while (question := read_frame()) is not None:
    if question == b"pid":
        write_frame(str(os.getpid()).encode())
    elif question == b"hang":
        time.sleep(3600)
    elif question == b"spin":
        while True:
            pass
    elif question == b"compute":
        start = time.process_time()
        while time.process_time() < start + 0.4:
            pass
        write_frame(b"done")
    elif question == b"leave":
        os._exit(0)
    elif question == b"crash":
        ctypes.string_at(0)
    elif question == b"raise":
        raise RecursionError
    elif question == b"close":
        os.close(1)
        time.sleep(3600)
    elif question == b"half":
        sys.stdout.buffer.write((100).to_bytes(8) + b"half")
        sys.stdout.flush()
        os._exit(0)
    elif question == b"boast":
        sys.stdout.buffer.write((1 << 60).to_bytes(8))
        while True:
            sys.stdout.buffer.write(bytes(65536))
    elif question == b"swell":
        kept = [bytearray(64 * 1024 * 1024) for _ in range(64)]
        write_frame(b"allocated four gigabytes")
    elif question == b"share":
        kept = [mmap.mmap(-1, 64 * 1024 * 1024) for _ in range(64)]
        write_frame(b"shares four gigabytes with nobody")
    elif question == b"look":
        report = {"environment": dict(os.environ)}
        try:
            with open(sys.argv[1], "wb") as file:
                file.write(b"x")
            report["wrote"] = True
        except OSError:
            report["wrote"] = False
        write_frame(json.dumps(report).encode())
    else:
        write_frame(question)
"""
_PARENT = f"""
import asyncio, sys
from loremark.ports.sandbox.child import Child

async def main():
    child = Child([sys.executable, "-I", "-c", {_SCRIPT!r}])
    print((await child.ask(b"pid", 20)).decode(), flush=True)
    await child.ask(sys.argv[1].encode(), 3600) if sys.argv[1] else await asyncio.sleep(3600)

if sys.argv[2] == "uvloop":
    import uvloop
    uvloop.run(main())
else:
    asyncio.run(main())
"""


@pytest.fixture(params=[False, True], ids=["asyncio", "uvloop"])
def anyio_backend(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    """Both event loops: the server uses uvloop if available, which handles child processes differently."""
    return "asyncio", {"use_uvloop": request.param}


@pytest.fixture
async def child(tmp_path: Path) -> AsyncIterator[Child]:
    started = Child([sys.executable, "-I", "-c", _SCRIPT, str(tmp_path / "written")])
    yield started
    await started.close()


async def _pid(child: Child) -> int:
    return int(await child.ask(b"pid", _TIMEOUT_S))


def _is_running(pid: int) -> bool:
    """Whether the process exists, even as a zombie."""
    return Path(f"/proc/{pid}").exists()


def _children() -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after_name = path.read_text().rpartition(") ")[2].split()
            if int(after_name[1]) == os.getpid():
                found.add(int(path.parent.name))
    return found


async def test_child_answers_consecutive_questions(child: Child) -> None:
    pid = await _pid(child)
    for question in (b"", b"\0\n", os.urandom(5_000_000)):
        assert await child.ask(question, _TIMEOUT_S) == question
    assert await _pid(child) == pid
    await child.close()
    assert not _is_running(pid)
    await child.close()


@pytest.mark.parametrize("question", [b"hang", b"spin", b"close", b"boast"])
async def test_child_that_does_not_answer_is_killed(child: Child, question: bytes) -> None:
    pid = await _pid(child)
    async with asyncio.timeout(_TIMEOUT_S):  # killing it must not hang either
        with pytest.raises(NoAnswer):
            await child.ask(question, 0.5)
    assert not _is_running(pid)
    assert await _pid(child) != pid, "the next question goes to a new child"


async def test_child_that_does_not_read_is_killed(child: Child) -> None:
    """A question larger than the pipe buffer is never written completely."""
    unresponsive = Child([sys.executable, "-I", "-c", "import time; time.sleep(3600)"])
    before = _children()
    async with asyncio.timeout(_TIMEOUT_S):
        with pytest.raises(NoAnswer):
            await unresponsive.ask(bytes(5_000_000), 0.5)
    assert _children() == before


@pytest.mark.parametrize("question", [b"crash", b"raise", b"leave", b"half", b"swell", b"share"])
async def test_dead_child_fails_without_waiting_for_the_timeout(child: Child, question: bytes) -> None:
    pid = await _pid(child)
    with pytest.raises(NoAnswer):
        await child.ask(question, 3600.0)
    assert not _is_running(pid)
    assert await child.ask(b"again", _TIMEOUT_S) == b"again"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process's CPU time")
async def test_child_that_uses_up_its_cpu_time_is_killed(child: Child) -> None:
    """However long it may take: a busy machine does not shorten what a child may compute."""
    first = await _pid(child)
    with pytest.raises(NoAnswer):
        await child.ask(b"spin", 3600.0, 1.0)
    assert not _is_running(first)
    assert child.cpu_s >= 1.0
    assert await child.ask(b"again", _TIMEOUT_S, 60.0) == b"again"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process's CPU time")
async def test_each_question_has_its_own_cpu_time(child: Child) -> None:
    for _ in range(4):
        assert await child.ask(b"compute", 3600.0, 1.0) == b"done"
    assert child.cpu_s >= 1.0


async def test_child_that_cannot_be_started_raises_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        await Child(["/no/such/program"]).ask(b"", 1.0)


@pytest.mark.parametrize("pause_s", [0.0, 0.005, 0.5])
async def test_cancelled_question_leaves_no_process(child: Child, pause_s: float) -> None:
    """Cancelled at once while it starts, or later while it works."""
    before = _children()
    asking = asyncio.create_task(child.ask(b"hang", 3600.0))
    await asyncio.sleep(pause_s)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await _wait_until(lambda: _children() == before)
    assert await child.ask(b"again", _TIMEOUT_S) == b"again", "not the answer to the previous question"


async def test_child_has_no_environment_and_cannot_write_files(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMARK_SECRET_KEY", "nobody sees this")
    report = json.loads(await child.ask(b"look", _TIMEOUT_S))
    assert set(report["environment"]) <= {"LC_CTYPE"}, "Python sets the locale itself"
    if sys.platform == "linux":
        assert resource.prlimit(await _pid(child), resource.RLIMIT_CORE) == (0, 0)
    assert report["wrote"] is False
    written = tmp_path / "written"
    assert not written.exists() or written.stat().st_size == 0


@pytest.mark.parametrize("doing", ["", "spin"])
async def test_child_dies_with_its_parent(doing: str, anyio_backend: tuple[str, dict[str, Any]]) -> None:
    loop = "uvloop" if anyio_backend[1]["use_uvloop"] else "asyncio"
    parent = subprocess.Popen([sys.executable, "-c", _PARENT, doing, loop], stdout=subprocess.PIPE)
    try:
        assert parent.stdout is not None
        pid = int(await asyncio.to_thread(parent.stdout.readline))
        await asyncio.sleep(0.2)
        assert _is_running(pid)
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.communicate()
    await _wait_until(lambda: not _is_running(pid))


async def _wait_until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_TIMEOUT_S):
        while not condition():
            await asyncio.sleep(0.02)
