"""Child processes that start without copying our page tables.

``asyncio.create_subprocess_exec`` on uvloop forks, which stops the event loop for 40 ms when this process uses 800 MB.
``subprocess.Popen`` uses ``vfork``: 1 ms at any size.
"""

from __future__ import annotations

import asyncio
import math
import os
import resource
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

_CPU_CLOCK = 2
"""Linux numbers the CPU clock of each process: the complement of its id, and this in the last three bits."""


class ChildProcess:
    """A running program; its standard streams are asyncio streams where requested."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.stdin: asyncio.StreamWriter | None = None
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self._writers: list[asyncio.StreamWriter] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, or None until ``wait`` has returned."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for the exit and return the exit code. Closes the streams."""
        await _wait_for_exit(self._process)
        for writer in self._writers:
            writer.close()
        return self._process.returncode

    def kill(self) -> None:
        self._process.kill()

    def cpu_s(self) -> float | None:
        """The CPU seconds it has used, until it is waited for. None if this system does not say."""
        try:
            return time.clock_gettime(~self.pid << 3 | _CPU_CLOCK)
        except OSError:
            return None

    def limit_cpu(self, total_s: float) -> None:
        """End it when it has used this many CPU seconds, rounded up, where the system can."""
        if hasattr(resource, "prlimit"):
            hard = resource.prlimit(self.pid, resource.RLIMIT_CPU)[1]
            wanted = math.ceil(total_s)
            soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
            with suppress(ProcessLookupError):
                resource.prlimit(self.pid, resource.RLIMIT_CPU, (soft, hard))

    async def connect(self, streams: Mapping[str, socket.socket]) -> None:
        """Open our ends of the streams."""
        for name, ours in streams.items():
            reader, writer = await asyncio.open_unix_connection(sock=ours)
            self._writers.append(writer)
            setattr(self, name, writer if name == "stdin" else reader)


async def start_process(
    command: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    streams: Sequence[Literal["stdin", "stdout", "stderr"]],
    cwd: Path | None = None,
    pass_fds: tuple[int, ...] = (),
) -> ChildProcess:
    """Start a program in its own session. The caller must ``wait`` for it.

    ``streams`` are connected to us, the others to /dev/null. They are sockets: event loops own those cleanly, whereas
    uvloop closes the file descriptor of a pipe object twice.
    """
    pairs: dict[str, tuple[socket.socket, socket.socket]] = {name: socket.socketpair() for name in streams}

    def their_end(name: str) -> int:
        return pairs[name][1].fileno() if name in pairs else subprocess.DEVNULL

    try:
        process = subprocess.Popen(  # noqa: ASYNC220, S603
            command,
            env=env,
            stdin=their_end("stdin"),
            stdout=their_end("stdout"),
            stderr=their_end("stderr"),
            cwd=cwd,
            pass_fds=pass_fds,
            start_new_session=True,
        )
    except BaseException:
        for ours, _ in pairs.values():
            ours.close()
        raise
    finally:
        for _, theirs in pairs.values():
            theirs.close()
    child = ChildProcess(process)
    our_ends = {name: ours for name, (ours, _) in pairs.items()}
    connecting = asyncio.create_task(child.connect(our_ends))
    try:
        await asyncio.shield(connecting)  # cancelled halfway, some streams would stay open
    except BaseException:
        process.kill()
        await asyncio.wait([connecting])
        await child.wait()
        raise
    return child


async def _wait_for_exit(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    if not hasattr(os, "pidfd_open"):  # macOS
        await asyncio.to_thread(process.wait)
        return
    loop = asyncio.get_running_loop()
    ended = asyncio.Event()
    descriptor = os.pidfd_open(process.pid)
    try:
        loop.add_reader(descriptor, ended.set)
        await ended.wait()
    finally:
        loop.remove_reader(descriptor)
        os.close(descriptor)
    process.wait()
