"""A real terminal with a command in it."""

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
    """``loremark`` in a pseudo terminal of its own; what it shows is read as a person would see it."""

    def __init__(self, *words: str, **environment: str) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = ""
        self._read_to = 0
        try:
            self._child = subprocess.Popen(
                [str(COMMAND), *words],
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env={**os.environ, "TERM": "xterm", **environment},
                start_new_session=True,
                preexec_fn=_take_over,
            )
        finally:
            os.close(theirs)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._child.poll() is None:
            self._child.kill()
        self._child.wait()
        os.close(self._ours)

    def see(self, text: str, seconds: float = 60.0) -> str:
        """Wait until it shows this, after what was seen before; all up to there."""
        ends = time.monotonic() + seconds
        while (at := self.shown.find(text, self._read_to)) < 0:
            assert time.monotonic() < ends, f"{text!r} does not come:\n{self.shown[self._read_to :]}"
            if select.select([self._ours], [], [], 0.1)[0] and not self._take():
                raise AssertionError(f"ended without {text!r}:\n{self.shown[self._read_to :]}")
        before, self._read_to = self.shown[self._read_to : at], at + len(text)
        return before

    def takes_lines(self) -> bool:
        """Whether it is as a shell leaves it."""
        return bool(termios.tcgetattr(self._ours)[3] & termios.ICANON)

    def press(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def end(self, seconds: float = 60.0) -> int:
        """Its exit code."""
        ends = time.monotonic() + seconds
        while self._child.poll() is None:
            assert time.monotonic() < ends, f"it does not end:\n{self.shown}"
            if select.select([self._ours], [], [], 0.05)[0]:
                self._take()
        while select.select([self._ours], [], [], 0)[0] and self._take():
            pass
        return self._child.returncode

    def _take(self) -> bool:
        try:
            data = os.read(self._ours, 65_536)
        except OSError:  # the other side is closed
            return False
        self.shown += data.decode(errors="replace").replace("\r\n", "\n")
        return bool(data)


def _take_over() -> None:
    """Make it the terminal that signals come from, and hear them: whoever runs the tests may be deaf to some."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    for key in (signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP):
        signal.signal(key, signal.SIG_DFL)
