"""A sandboxed child process for sequential requests, killed when it does not answer."""

from __future__ import annotations

import asyncio
import ctypes
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import NamedTuple

from loremark.ports.child_process import ChildProcess, start_process
from loremark.ports.sandbox.landlock import forbid_files
from loremark.ports.sandbox.seccomp import forbid_system_calls

_MEMORY_BYTES = 1024**3
_MOST_ANSWER_BYTES = 64 * 1024 * 1024
_LENGTH_BYTES = 8
PROTECTIONS = "--protections"
"""The argument with which a child first says how it is confined."""
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_LINUX = ("no new privileges", "Landlock", "seccomp")


class NoAnswer(Exception):
    """The child hung, ran out of memory or crashed; the next request starts a new one."""


class Child:
    """Started on the first request. Requests and answers are length-prefixed frames."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._process: ChildProcess | None = None
        self._ended_cpu_s = 0.0

    @property
    def is_running(self) -> bool:
        return self._process is not None

    @property
    def cpu_s(self) -> float:
        """CPU seconds used so far, also by children that were killed."""
        return self._ended_cpu_s + (_cpu_s(self._process) if self._process is not None else 0.0)

    async def ask(self, question: bytes, timeout_s: float, most_cpu_s: float | None = None) -> bytes:
        """Return the answer. One request at a time; cancellation kills the child."""
        process = self._process or await self._start()
        if most_cpu_s is not None:
            process.limit_cpu(_cpu_s(process) + most_cpu_s)
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(timeout_s):
                process.stdin.write(len(question).to_bytes(_LENGTH_BYTES) + question)
                await process.stdin.drain()
                size = int.from_bytes(await process.stdout.readexactly(_LENGTH_BYTES))
                if size > _MOST_ANSWER_BYTES:
                    raise NoAnswer
                return await process.stdout.readexactly(size)
        except (TimeoutError, asyncio.IncompleteReadError, BrokenPipeError, ConnectionResetError, NoAnswer):
            await self.close()
            raise NoAnswer from None
        except BaseException:  # cancelled: a late answer would be taken for the next request's
            await self.close()
            raise

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        self._ended_cpu_s += _cpu_s(process)
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def _start(self) -> ChildProcess:
        """Start the child with an empty environment, because ours contains secrets."""
        self._process = await start_process(self._command, streams=("stdin", "stdout"), env={})
        return self._process


def _cpu_s(process: ChildProcess) -> float:
    return process.cpu_s() or 0.0


class Protection(NamedTuple):
    """One thing that confines the child, and whether it is active."""

    name: str
    active: bool


def confine() -> list[Protection]:
    """Called in the child once it has loaded everything: from now on it can only compute and answer.

    What this system lacks is skipped. The order matters: each step forbids what the earlier ones need.
    """
    limits = [(resource.RLIMIT_DATA, _MEMORY_BYTES), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)]
    if sys.platform == "linux":  # shared memory does not count as data
        limits.append((resource.RLIMIT_AS, 2 * _MEMORY_BYTES))
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
    protections = [Protection("resource limits", True)]
    if sys.platform != "linux":
        return [*protections, *(Protection(name, False) for name in _LINUX)]
    libc = ctypes.CDLL(None)
    libc.prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    cannot_gain = libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    results = (cannot_gain, cannot_gain and forbid_files(libc), cannot_gain and forbid_system_calls(libc))
    return [*protections, *map(Protection, _LINUX, results)]


def read_frame() -> bytes | None:
    """Return the next request, or None at the end of input."""
    head = sys.stdin.buffer.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    return sys.stdin.buffer.read(int.from_bytes(head))


def write_frame(answer: bytes) -> None:
    sys.stdout.buffer.write(len(answer).to_bytes(_LENGTH_BYTES) + answer)
    sys.stdout.buffer.flush()
