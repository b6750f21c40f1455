"""Runs a sequence of commands ending with a server, and stops them when the parent process is gone.

It runs as a standalone script (standard library only); the tests only import the type `SupervisorConfig`.
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
"""How often the child and the parent are checked."""

STOP_TIMEOUT_SECONDS = 15.0
"""How long a server may take to stop after its stop signal."""

PR_SET_PDEATHSIG = 1


class SupervisorConfig(TypedDict):
    """The parent's request, passed as JSON in the only argument."""

    parent: int
    commands: list[list[str]]
    folder: str
    uid: int | None
    gid: int | None
    stop_signal: int
    remove: bool


class StopRequest:
    """Whether this supervisor was asked to stop: set by the signal handler, checked by the loop."""

    def __init__(self) -> None:
        self.received = False
        signal.signal(signal.SIGTERM, self.record)

    def record(self, number: int, frame: FrameType | None) -> None:
        """Records the signal without interrupting anything, so that no child is left behind."""
        self.received = True


def bind_to(supervisor: int, number: int) -> None:
    """Called in the new child: asks the kernel to signal it when this supervisor ends for any reason.

    Changing the user clears this setting, so it is made afterwards.
    """
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != supervisor:
        os._exit(1)


def stop(child: "subprocess.Popen[bytes]", number: int) -> None:
    """Stops the child with its stop signal, and kills it if that takes too long."""
    if child.poll() is not None:
        return
    child.send_signal(number)
    try:
        child.wait(STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def run(command: list[str], config: SupervisorConfig, stop_request: StopRequest) -> int:
    """Runs a command until it exits, a stop is requested or the parent is gone; returns its exit code."""
    supervisor = os.getpid()
    child = subprocess.Popen(
        command,
        cwd=config["folder"],
        user=config["uid"],
        group=config["gid"],
        extra_groups=None if config["uid"] is None else [],
        preexec_fn=lambda: bind_to(supervisor, config["stop_signal"]),
    )
    while not stop_request.received and os.getppid() == config["parent"]:
        code = child.poll()
        if code is not None:
            return code
        time.sleep(WATCH_SECONDS)
    stop(child, config["stop_signal"])
    return 1


def main(config: SupervisorConfig) -> int:
    """Runs all commands, up to the first that fails."""
    stop_request = StopRequest()
    try:
        return 0 if all(run(command, config, stop_request) == 0 for command in config["commands"]) else 1
    finally:
        if config["remove"]:
            shutil.rmtree(config["folder"], ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
