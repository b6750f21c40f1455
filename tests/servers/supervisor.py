"""Runs commands, the last being a server, and ends them once the process that asked for them has gone.

It is started as a script of its own (standard library only); the tests import no more than the type `Order`.
"""

import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from types import FrameType
from typing import TypedDict

WATCH_SECONDS = 0.05
"""How often the child and the parent are looked at."""

PATIENCE_SECONDS = 15.0
"""How long a server may take to end after its stop signal."""

PR_SET_PDEATHSIG = 1


class Order(TypedDict):
    """What the parent asks for, handed over as JSON in the only argument."""

    parent: int
    commands: list[list[str]]
    folder: str
    uid: int | None
    gid: int | None
    stop_signal: int
    remove: bool


class Wish:
    """Whether somebody asked this supervisor to end, noted by the signal and seen by the loop."""

    def __init__(self) -> None:
        self.to_end = False
        signal.signal(signal.SIGTERM, self.note)

    def note(self, number: int, frame: FrameType | None) -> None:
        """Notes the signal; nothing is interrupted, so no child can slip away."""
        self.to_end = True


def bind_to(supervisor: int, number: int) -> None:
    """Called in the new child: asks the kernel to signal it when this supervisor ends, by whatever way.

    A change of user clears that wish, therefore it is made after the change.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != supervisor:
        os._exit(1)


def end(child: "subprocess.Popen[bytes]", number: int) -> None:
    """Stops the child by its stop signal, and by force if it takes too long."""
    if child.poll() is not None:
        return
    child.send_signal(number)
    try:
        child.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def run(command: list[str], order: Order, wish: Wish) -> int:
    """Runs one command until it ends, we are asked to end, or the parent has gone; returns its exit code."""
    supervisor = os.getpid()
    child = subprocess.Popen(
        command,
        cwd=order["folder"],
        user=order["uid"],
        group=order["gid"],
        extra_groups=None if order["uid"] is None else [],
        preexec_fn=lambda: bind_to(supervisor, order["stop_signal"]),
    )
    while not wish.to_end and os.getppid() == order["parent"]:
        code = child.poll()
        if code is not None:
            return code
        time.sleep(WATCH_SECONDS)
    end(child, order["stop_signal"])
    return 1


def main(order: Order) -> int:
    """Runs all commands; the first that fails ends the row."""
    wish = Wish()
    try:
        return 0 if all(run(command, order, wish) == 0 for command in order["commands"]) else 1
    finally:
        if order["remove"]:
            shutil.rmtree(order["folder"], ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
