"""Runs a command in a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import termios
import time
from types import TracebackType
from typing import Self

from tests.support.processes import COMMAND


class Terminal:
    """``loremark`` running in a pseudo-terminal."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._master, slave = pty.openpty()
        self.shown = ""
        self._read_to = 0
        try:
            self._child = subprocess.Popen(
                [str(COMMAND), *words],
                stdin=slave,
                stdout=slave,
                stderr=slave,
                env={**os.environ, "TERM": "xterm", **environment},
                start_new_session=True,
                preexec_fn=_take_control,
            )
        finally:
            os.close(slave)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        os.close(self._master)

    def wait_for(self, text: str, seconds: float = 60.0) -> str:
        """Wait for this text in the new output; returns the output before it."""
        deadline = time.monotonic() + seconds
        while (at := self.shown.find(text, self._read_to)) < 0:
            assert time.monotonic() < deadline, f"{text!r} did not appear:\n{self.shown[self._read_to :]}"
            if select.select([self._master], [], [], 0.1)[0] and not self._read():
                raise AssertionError(f"ended without {text!r}:\n{self.shown[self._read_to :]}")
        before, self._read_to = self.shown[self._read_to : at], at + len(text)
        return before

    def is_in_line_mode(self) -> bool:
        """Whether the terminal is in line mode."""
        return bool(termios.tcgetattr(self._master)[3] & termios.ICANON)

    def press(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def end(self, seconds: float = 60.0) -> int:
        """Wait for the exit code."""
        deadline = time.monotonic() + seconds
        while self._child.poll() is None:
            assert time.monotonic() < deadline, f"still running:\n{self.shown}"
            if select.select([self._master], [], [], 0.05)[0]:
                self._read()
        while select.select([self._master], [], [], 0)[0] and self._read():
            pass
        return self._child.returncode

    def _read(self) -> bool:
        try:
            data = os.read(self._master, 65_536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def _take_control() -> None:
    """Make this the controlling terminal and reset signals, which the test runner may block."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for key in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(key, signal.SIG_DFL)
