"""A sandboxed child process for sequential requests, killed when it does not answer."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress

from loremark.ports.child_process import ChildProcess, start_process

_MEMORY_BYTES = 1024**3
_MOST_ANSWER_BYTES = 64 * 1024 * 1024
_LENGTH_BYTES = 8


class NoAnswer(Exception):
    """The child hung, ran out of memory or crashed; the next request starts a new one."""


class Child:
    """Started on the first request. Requests and answers are length-prefixed frames."""

    def __init__(self, command: Sequence[str]) -> None:
        self._command = tuple(command)
        self._process: ChildProcess | None = None

    async def ask(self, question: bytes, timeout_s: float) -> bytes:
        """Return the answer. One request at a time; cancellation kills the child."""
        process = self._process or await self._start()
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
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def _start(self) -> ChildProcess:
        """Start the child with an empty environment, because ours contains secrets."""
        self._process = await start_process(
            self._command,
            streams=("stdin", "stdout"),
            env={"PATH": os.defpath, "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
        )
        return self._process


def confine() -> None:
    """Called in the child: set resource limits and die with the parent."""
    for kind, most in ((resource.RLIMIT_DATA, _MEMORY_BYTES), (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0)):
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def read_frame() -> bytes | None:
    """Return the next request, or None at the end of input."""
    head = sys.stdin.buffer.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    return sys.stdin.buffer.read(int.from_bytes(head))


def write_frame(answer: bytes) -> None:
    sys.stdout.buffer.write(len(answer).to_bytes(_LENGTH_BYTES) + answer)
    sys.stdout.buffer.flush()
