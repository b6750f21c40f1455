"""A test server, and a command line that runs in this process."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from loremark.base import profile
from loremark.cli import framework
from loremark.entry.command_table import COMMANDS
from tests.entry.owner import make_owner
from tests.support.processes import Loremark


@dataclass(frozen=True)
class Server:
    """A running server and its owner."""

    url: str
    key: str
    project: str
    folder: Path
    http: httpx.Client
    """Authenticated as the owner."""

    def create_project(self, name: str = "Another") -> str:
        made = self.http.post("/api/projects", json={"name": name})
        assert made.status_code == 201, made.text
        return str(made.json()["id"])


@contextmanager
def serving(folder: Path, database_url: str) -> Iterator[Server]:
    # Each test creates its own projects: the plan must allow more than a run has tests.
    loremark = Loremark(folder, database_url, {"LOREMARK_DEFAULT_PLAN": "business"})
    owner = make_owner(loremark)
    with loremark.start() as process, process.wait_ready().client(owner["apiKey"]) as http:
        yield Server(process.url, owner["apiKey"], owner["projectId"], folder, http)


class Result(NamedTuple):
    """The result of a command."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.code == 0, self
        return json.loads(self.out)

    @property
    def error(self) -> str:
        """The one-line error message of a failed command."""
        assert self.code != 0, self
        assert self.out == "", self
        assert self.err.startswith("loremark: "), self
        assert self.err.count("\n") == 1, self
        return self.err.strip().removeprefix("loremark: ")


class _Stream(io.TextIOWrapper):
    def __init__(self, given: bytes = b"", is_terminal: bool = False) -> None:
        super().__init__(io.BytesIO(given), encoding="utf-8", newline="")
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal

    def text(self) -> str:
        self.flush()
        assert isinstance(self.buffer, io.BytesIO)
        return self.buffer.getvalue().decode()


class Cli:
    """Runs commands with a temporary home folder."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = home
        self.monkeypatch = monkeypatch

    def sign_in(self, server: Server) -> None:
        profile.save(profile.Profile(server.url, server.key))

    def run(self, *words: str, stdin: str | bytes = "", terminal: bool = False) -> Result:
        """Run ``loremark`` with these arguments in this process."""
        data = stdin.encode() if isinstance(stdin, str) else stdin
        out, err = _Stream(is_terminal=terminal), _Stream(is_terminal=terminal)
        with self.monkeypatch.context() as patch:
            patch.setattr(sys, "stdin", _Stream(data, terminal))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = framework.main(COMMANDS, words, lambda: "0")
        return Result(code, out.text(), err.text())


def create_cli(home: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A command line with a new home folder and a clean environment."""
    home.mkdir()
    for name in [name for name in os.environ if name.startswith(("LOREMARK_", "XDG_", "GIT_"))]:
        if not name.startswith("LOREMARK_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.chdir(home)
    return Cli(home, monkeypatch)
