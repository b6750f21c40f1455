"""A child that hangs, swells, crashes or lies costs one answer, and no process is left behind."""

from __future__ import annotations

import asyncio
import json
import os
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

_PATIENCE_S = 20.0
_SCRIPT = """
import ctypes, json, os, resource, sys, time
from loremark.ports.sandbox.child import confine, read_frame, write_frame

confine()
while (asked := read_frame()) is not None:
    if asked == b"pid":
        write_frame(str(os.getpid()).encode())
    elif asked == b"hang":
        time.sleep(3600)
    elif asked == b"spin":
        while True:
            pass
    elif asked == b"leave":
        os._exit(0)
    elif asked == b"crash":
        ctypes.string_at(0)
    elif asked == b"raise":
        raise RecursionError
    elif asked == b"close":
        os.close(1)
        time.sleep(3600)
    elif asked == b"half":
        sys.stdout.buffer.write((100).to_bytes(8) + b"half")
        sys.stdout.flush()
        os._exit(0)
    elif asked == b"boast":
        sys.stdout.buffer.write((1 << 60).to_bytes(8))
        while True:
            sys.stdout.buffer.write(bytes(65536))
    elif asked == b"swell":
        kept = [bytearray(64 * 1024 * 1024) for _ in range(64)]
        write_frame(b"four gigabytes, and nobody minded")
    elif asked == b"look":
        told = {"environment": dict(os.environ), "core": resource.getrlimit(resource.RLIMIT_CORE)}
        try:
            with open(sys.argv[1], "wb") as file:
                file.write(b"x")
            told["wrote"] = True
        except OSError:
            told["wrote"] = False
        write_frame(json.dumps(told).encode())
    else:
        write_frame(asked)
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
    """Both loops: a server runs on uvloop where there is one, and children are another thing there."""
    return "asyncio", {"use_uvloop": request.param}


@pytest.fixture
async def child(tmp_path: Path) -> AsyncIterator[Child]:
    started = Child([sys.executable, "-I", "-c", _SCRIPT, str(tmp_path / "written")])
    yield started
    await started.close()


async def _pid(child: Child) -> int:
    return int(await child.ask(b"pid", _PATIENCE_S))


def _is_running(pid: int) -> bool:
    """Whether there is such a process; one that nobody has buried yet does nothing any more, but is one of ours."""
    return Path(f"/proc/{pid}").exists()


def _children() -> set[int]:
    found = set()
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            after_name = place.read_text().rpartition(") ")[2].split()
            if int(after_name[1]) == os.getpid():
                found.add(int(place.parent.name))
    return found


async def test_one_child_answers_one_question_after_the_other(child: Child) -> None:
    pid = await _pid(child)
    for question in (b"", b"\0\n", os.urandom(5_000_000)):
        assert await child.ask(question, _PATIENCE_S) == question
    assert await _pid(child) == pid
    await child.close()
    assert not _is_running(pid)
    await child.close()


@pytest.mark.parametrize("question", [b"hang", b"spin", b"close", b"boast"])
async def test_one_that_does_not_answer_is_put_away(child: Child, question: bytes) -> None:
    pid = await _pid(child)
    async with asyncio.timeout(_PATIENCE_S):  # also the putting away comes to an end
        with pytest.raises(NoAnswer):
            await child.ask(question, 0.5)
    assert not _is_running(pid)
    assert await _pid(child) != pid, "the next question goes to another one"


async def test_one_that_does_not_listen_is_put_away(child: Child) -> None:
    """A question larger than a pipe holds is not even written to its end."""
    deaf = Child([sys.executable, "-I", "-c", "import time; time.sleep(3600)"])
    before = _children()
    async with asyncio.timeout(_PATIENCE_S):
        with pytest.raises(NoAnswer):
            await deaf.ask(bytes(5_000_000), 0.5)
    assert _children() == before


@pytest.mark.parametrize("question", [b"crash", b"raise", b"leave", b"half", b"swell"])
async def test_one_that_dies_is_no_answer_and_does_not_wait_for_its_time(child: Child, question: bytes) -> None:
    pid = await _pid(child)
    with pytest.raises(NoAnswer):
        await child.ask(question, 3600.0)
    assert not _is_running(pid)
    assert await child.ask(b"again", _PATIENCE_S) == b"again"


async def test_one_that_cannot_be_started_leaves_nothing() -> None:
    with pytest.raises(FileNotFoundError):
        await Child(["/no/such/program"]).ask(b"", 1.0)


@pytest.mark.parametrize("pause_s", [0.0, 0.005, 0.5])
async def test_who_gives_up_waiting_leaves_no_process(child: Child, pause_s: float) -> None:
    """At once: while it is being started; later: while it is at work."""
    before = _children()
    asked = asyncio.create_task(child.ask(b"hang", 3600.0))
    await asyncio.sleep(pause_s)
    asked.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asked
    await _until(lambda: _children() == before)
    assert await child.ask(b"again", _PATIENCE_S) == b"again", "not the answer to the question before"


async def test_it_sees_no_environment_and_writes_no_file(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOREMARK_SECRET_KEY", "nobody sees this")
    told = json.loads(await child.ask(b"look", _PATIENCE_S))
    assert set(told["environment"]) <= {"PATH", "LC_ALL", "LC_CTYPE", "OPENBLAS_NUM_THREADS"}
    assert "nobody" not in str(told)
    assert told["core"] == [0, 0]
    assert told["wrote"] is False
    written = tmp_path / "written"
    assert not written.exists() or written.stat().st_size == 0


@pytest.mark.parametrize("doing", ["", "spin"])
async def test_it_dies_with_who_started_it(doing: str, anyio_backend: tuple[str, dict[str, Any]]) -> None:
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
    await _until(lambda: not _is_running(pid))


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not is_so():
            await asyncio.sleep(0.02)
