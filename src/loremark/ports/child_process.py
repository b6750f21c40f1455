"""Child processes that start without copying our page tables.

``asyncio.create_subprocess_exec`` on uvloop forks, which stops the event loop for 40 ms when this process uses 800 MB.
``subprocess.Popen`` uses ``vfork``: 1 ms at any size.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO


class ChildProcess:
    """A running program with its pipes as asyncio streams."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self.stdin: asyncio.StreamWriter | None = None
        self.stdout: asyncio.StreamReader | None = None
        self.stderr: asyncio.StreamReader | None = None
        self._readers: list[asyncio.ReadTransport] = []

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """The exit code, or None until ``wait`` has returned."""
        return self._process.returncode

    async def wait(self) -> int:
        """Wait for the exit and return the exit code. Closes the pipes."""
        await _wait_for_exit(self._process)
        for reader in self._readers:
            reader.close()
        if self.stdin is not None:
            self.stdin.close()
        return self._process.returncode

    def kill(self) -> None:
        self._process.kill()

    async def open_pipes(self) -> None:
        """Connect the pipes to the event loop."""
        if self._process.stdin is not None:
            self.stdin = await _open_writer(self._process.stdin)
        if self._process.stdout is not None:
            self.stdout = await self._open_reader(self._process.stdout)
        if self._process.stderr is not None:
            self.stderr = await self._open_reader(self._process.stderr)

    async def _open_reader(self, pipe: IO[bytes]) -> asyncio.StreamReader:
        reader = asyncio.StreamReader()
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), pipe
        )
        self._readers.append(transport)
        return reader


async def start_process(
    command: Sequence[str | bytes],
    *,
    env: Mapping[str, str],
    stdin: int = subprocess.DEVNULL,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    cwd: Path | None = None,
    pass_fds: tuple[int, ...] = (),
) -> ChildProcess:
    """Start a program in its own session. The caller must ``wait`` for it."""
    process = subprocess.Popen(  # noqa: ASYNC220, S603
        command,
        env=env,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        cwd=cwd,
        pass_fds=pass_fds,
        start_new_session=True,
        bufsize=0,
    )
    child = ChildProcess(process)
    opening = asyncio.ensure_future(child.open_pipes())
    try:
        await asyncio.shield(opening)  # cancelled halfway, some pipes would stay open
    except BaseException:
        process.kill()
        await asyncio.wait([opening])
        await child.wait()
        raise
    return child


async def _open_writer(pipe: IO[bytes]) -> asyncio.StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), pipe
    )
    return asyncio.StreamWriter(transport, protocol, None, loop)


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
