"""Run a program bounded in time and output, and leave none of its processes behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import IO

from loremark.base import clock
from loremark.hook.headless.environment import CALL

MAX_BYTES = 1 << 20
_KEPT_ERROR_BYTES = 16 << 10
_READ_BYTES = 64 << 10
_POLL_S = 0.1
# Agents remove their lock files and entries in lists of running sessions when asked to end.
_GRACE_S = 2.0
_DRAIN_S = 1.0
_NICENESS = 10


@dataclass(frozen=True)
class Output:
    """What a program printed. If it was stopped, ``code`` is that of the signal."""

    code: int
    text: str
    errors: str
    """The end of its standard error."""
    timed_out: bool = False
    too_large: bool = False


@dataclass
class _Run:
    """A running program and what it has printed so far."""

    process: subprocess.Popen[bytes]
    stdin: bytes
    selector: selectors.BaseSelector = field(default_factory=selectors.DefaultSelector)
    out: bytearray = field(default_factory=bytearray)
    err: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for stream, event in (
            (process.stdin, selectors.EVENT_WRITE),
            (process.stdout, selectors.EVENT_READ),
            (process.stderr, selectors.EVENT_READ),
        ):
            os.set_blocking(stream.fileno(), False)
            self.selector.register(stream, event)

    @property
    def too_large(self) -> bool:
        return len(self.out) > MAX_BYTES

    def step(self, seconds: float) -> None:
        """Exchange what can be exchanged now, waiting at most this long."""
        if not self.selector.get_map():
            clock.pause(min(seconds, _POLL_S))
            return
        for key, _ in self.selector.select(seconds):
            stream = key.fileobj
            if stream is self.process.stdin:
                self._write()
            else:
                self._read(stream)  # type: ignore[arg-type]

    def _write(self) -> None:
        assert self.process.stdin is not None
        try:
            self.stdin = self.stdin[os.write(self.process.stdin.fileno(), self.stdin[:_READ_BYTES]) :]
        except BlockingIOError:
            return
        except OSError:  # the program doesn't read its input
            self.stdin = b""
        if not self.stdin:
            self._close(self.process.stdin)

    def _read(self, stream: IO[bytes]) -> None:
        try:
            chunk = os.read(stream.fileno(), _READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            chunk = b""
        if not chunk:
            self._close(stream)
        elif stream is self.process.stdout:
            self.out += chunk
        else:
            self.err += chunk
            del self.err[:-_KEPT_ERROR_BYTES]

    def _close(self, stream: IO[bytes]) -> None:
        self.selector.unregister(stream)
        with suppress(OSError):
            stream.close()

    def close(self) -> None:
        for key in list(self.selector.get_map().values()):
            self._close(key.fileobj)  # type: ignore[arg-type]
        self.selector.close()


def run(
    command: Sequence[str], *, folder: str, environment: Mapping[str, str], stdin: bytes = b"", deadline: float
) -> Output:
    """Run until it exits, the deadline (of ``clock.monotonic``) passes or it prints too much. Raises OSError."""
    process = subprocess.Popen(  # noqa: S603
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    running = _Run(process, stdin)
    timed_out = False
    try:
        with suppress(OSError):  # it may have exited already
            own = os.getpriority(os.PRIO_PROCESS, 0)
            os.setpriority(os.PRIO_PGRP, process.pid, max(own, _NICENESS))
        while not (_has_exited(process) or running.too_large):
            left = deadline - clock.monotonic()
            if left <= 0:
                timed_out = True
                break
            running.step(min(left, _POLL_S))
        if timed_out or running.too_large:
            _terminate(running)
    finally:
        _kill_all(process, environment.get(CALL, ""))
        drained = clock.monotonic() + _DRAIN_S
        while running.selector.get_map() and not running.too_large and clock.monotonic() < drained:
            running.step(_POLL_S)
        running.close()
    return Output(
        process.returncode,
        running.out.decode("utf-8", "replace"),
        running.err.decode("utf-8", "replace"),
        timed_out,
        running.too_large,
    )


def _has_exited(process: subprocess.Popen[bytes]) -> bool:
    """Return whether it has exited, without reaping it where possible: so its group's number can't be reused yet."""
    if not hasattr(os, "waitid"):  # macOS before Python 3.13
        return process.poll() is not None
    try:
        return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:  # SIGCHLD is ignored in this process
        return True


def _terminate(running: _Run) -> None:
    """Ask the process group to end, and give it a moment."""
    with suppress(OSError):
        os.killpg(running.process.pid, signal.SIGTERM)
    until = clock.monotonic() + _GRACE_S
    while not _has_exited(running.process) and clock.monotonic() < until:
        if running.too_large:
            clock.pause(_POLL_S)  # not read any further
        else:
            running.step(_POLL_S)


def _kill_all(process: subprocess.Popen[bytes], call_id: str) -> None:
    """Kill the group, and the processes that have left it but carry the call's mark in their environment."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    until = clock.monotonic() + _GRACE_S
    while call_id and (left := list(_processes_of(call_id))) and clock.monotonic() < until:
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        clock.pause(_POLL_S / 10)  # they may have started others meanwhile
    process.wait()


def _processes_of(call_id: str) -> Iterator[int]:
    """Yield the running processes of this call. Only Linux shows the environment of other processes."""
    if sys.platform != "linux":
        return
    mark = f"{CALL}={call_id}".encode()
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with suppress(OSError):
            with open(f"/proc/{name}/environ", "rb") as file:
                is_ours = mark in file.read().split(b"\0")  # empty for processes that have exited
            if is_ours:
                yield int(name)
