"""Loremark as real processes: started by its own command, reached over TCP, killed by their id."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import httpx

from loremark.entry.main import main
from tests.servers import lifetime
from tests.support.forking import ForkedProcess, run_program
from tests.support.selection import NIGHTLY

COMMAND = Path(sys.executable).parent / "loremark"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def run_command(
    *arguments: str, env: dict[str, str], cwd: Path, input: str = "", timeout: float = 60.0
) -> subprocess.CompletedProcess[str]:
    """Run ``loremark`` with these arguments to its end."""
    if not NIGHTLY:
        return run_program(main, arguments, env=env, cwd=cwd, input=input, timeout=timeout)
    command = [str(COMMAND), *arguments]
    return subprocess.run(command, env=env, cwd=cwd, input=input, capture_output=True, text=True, timeout=timeout)


def start_command(
    *arguments: str, env: dict[str, str], cwd: Path, log: Path, program: Callable[[], int] = main
) -> ForkedProcess | subprocess.Popen[bytes]:
    """Start ``loremark`` with these arguments; its output is appended to a file."""
    if not NIGHTLY:
        log.touch()
        return ForkedProcess(program, arguments, env=env, cwd=cwd, stdout=log, stderr=log)
    with log.open("ab") as file:
        return subprocess.Popen([str(COMMAND), *arguments], env=env, cwd=cwd, stdout=file, stderr=subprocess.STDOUT)


@dataclass
class Loremark:
    """One data folder and database; processes of it can be started, killed and started again."""

    folder: Path
    database_url: str
    settings: dict[str, str] = field(default_factory=dict)
    program: Callable[[], int] = main

    def environment(self, port: int | None = None) -> dict[str, str]:
        given = {
            "LOREMARK_DATA_DIR": str(self.folder),
            "LOREMARK_DATABASE_URL": self.database_url,
            "LOREMARK_RATE_LIMIT_PER_MINUTE": "1000000",
            "LOREMARK_ROUTE_LIMITS": "login=100000/minute,ask=100000/minute",
            **self.settings,
        }
        if port is not None:
            given |= {"LOREMARK_PORT": str(port), "XDG_STATE_HOME": self.settings.get("XDG_STATE_HOME", self.state)}
        return {**lifetime.child_env(), **given}

    @property
    def state(self) -> str:
        """Where servers remember that they run; not in the home of whoever runs the tests."""
        return str(self.folder / ".state")

    def run(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run an operator's command to its end."""
        ended = run_command(*arguments, env=self.environment(), cwd=self.folder)
        if check:
            ended.check_returncode()
        return ended

    def create_owner(self, email: str = "owner@example.com") -> dict[str, str]:
        made = self.run("admin", "create-owner", "--email", email, "--team", "Stones", "--json")
        answer: dict[str, str] = json.loads(made.stdout)
        return answer

    def start(self, command: str = "serve", port: int | None = None) -> Process:
        return Process(self, command, port or free_port())


class Process:
    """A process of ours. Use it as a context manager: it never outlives the block."""

    def __init__(self, loremark: Loremark, command: str, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.folder = loremark.folder
        self._log = loremark.folder / f"{command}-{port}.log"
        self._child = start_command(
            command, env=loremark.environment(port), cwd=loremark.folder, log=self._log, program=loremark.program
        )

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def output(self) -> str:
        return self._log.read_text(errors="replace")

    def wait_ready(self, seconds: float = 60.0) -> Process:
        """Until it answers; a process that ended instead is an error with its output."""
        stop = time.monotonic() + seconds
        while time.monotonic() < stop:
            if self._child.poll() is not None:
                raise RuntimeError(f"loremark ended with {self._child.returncode}:\n{self.output}")
            if self._is_ready():
                return self
            time.sleep(0.02)
        raise TimeoutError(f"loremark did not come up:\n{self.output}")

    def _is_ready(self) -> bool:
        asking = HTTPConnection("127.0.0.1", self.port, timeout=2.0)
        try:
            asking.request("GET", "/readyz")
            return asking.getresponse().status == 200
        except (OSError, HTTPException):
            return False
        finally:
            asking.close()

    def client(self, key: str = "", **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=30.0, verify=False, **options)

    def kill(self) -> None:
        """kill -9."""
        os.kill(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def stop(self, seconds: float = 60.0) -> int:
        """Ask to stop; the exit code."""
        if self._child.poll() is None:
            self._child.terminate()
        try:
            return self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
