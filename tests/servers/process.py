"""A server as a supervised child process that never outlives this process."""

import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from tests.servers.supervisor import SupervisorConfig

Server = TypeVar("Server")

START_SECONDS = 60.0
STOP_SECONDS = 30.0
TAIL_BYTES = 3000
TAIL_LINES = 8
PORT_ATTEMPTS = 5


class ServerError(RuntimeError):
    """A server that the tests need could not be started."""


class PortTakenError(ServerError):
    """Another process took the port before it could be used."""


def free_port() -> int:
    """A loopback port that is currently free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def on_free_port(launch: Callable[[int], Server]) -> Server:
    """Launches on a free port, and retries with another one if it is taken in the meantime."""
    for _ in range(PORT_ATTEMPTS - 1):
        try:
            return launch(free_port())
        except PortTakenError:
            continue
    return launch(free_port())


class SupervisedProcess:
    """A sequence of commands ending with a server, which stops with this process (even on kill -9)."""

    def __init__(
        self,
        name: str,
        commands: list[list[str]],
        folder: Path,
        *,
        stop_signal: signal.Signals = signal.SIGTERM,
        owner: tuple[int, int] | None = None,
        remove: bool = False,
    ) -> None:
        self._name = name
        self._pid = os.getpid()
        self._folder_to_remove = folder if remove else None
        # Append mode and pread, because the children share the file position.
        self._log = os.open(folder / "server.log", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        self._log_start = os.fstat(self._log).st_size
        config: SupervisorConfig = {
            "parent": self._pid,
            "commands": commands,
            "folder": str(folder),
            "uid": owner[0] if owner else None,
            "gid": owner[1] if owner else None,
            "stop_signal": int(stop_signal),
            "remove": remove,
        }
        script = Path(__file__).with_name("supervisor.py")
        self._supervisor = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script), json.dumps(config)],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={"PATH": os.defpath, "LC_ALL": "C"},
            start_new_session=True,  # Ctrl-C goes to the tests, which then stop the server themselves
        )
        self._stopped = False
        atexit.register(self.stop)

    @property
    def pid(self) -> int:
        """The supervisor's process id."""
        return self._supervisor.pid

    def log(self, size: int = TAIL_BYTES) -> str:
        """The end of this server's log."""
        end = os.fstat(self._log).st_size
        start = max(self._log_start, end - size)
        return os.pread(self._log, end - start, start).decode(errors="replace").strip()

    def wait_until(self, ready: Callable[[], bool], seconds: float = START_SECONDS) -> None:
        """Waits until the server is ready; on failure, stops it and raises an error with the end of its log."""
        deadline = time.monotonic() + seconds
        started = False
        try:
            while not ready():
                if self._supervisor.poll() is not None:
                    raise self._failure("exited immediately")
                if time.monotonic() > deadline:
                    raise self._failure(f"was not ready within {seconds:.0f} s")
                time.sleep(0.01)
            started = True
        finally:
            if not started:
                self.stop()

    def _failure(self, what: str) -> ServerError:
        tail = "\n".join(self.log().splitlines()[-TAIL_LINES:])
        kind = PortTakenError if "Address already in use" in tail else ServerError
        return kind(f"The {self._name} server for the tests {what}; its log ends with:\n{tail or '(nothing)'}")

    def stop(self) -> None:
        """Stops the server; does nothing if called again or from a forked child."""
        if self._stopped or os.getpid() != self._pid:
            return
        self._stopped = True
        atexit.unregister(self.stop)
        self._supervisor.terminate()
        try:
            self._supervisor.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._supervisor.kill()  # the kernel then stops the server
            self._supervisor.wait()
        os.close(self._log)
        if self._folder_to_remove is not None:  # a supervisor that was stopped very early has not removed it
            shutil.rmtree(self._folder_to_remove, ignore_errors=True)
