"""Remembers the servers that run on this machine, so that ``loremark open`` finds their data.

Each ``loremark serve`` on SQLite has a file in the user's state folder while it runs, readable by the user only. It
contains no secret, only where the server keeps its data.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from loremark.base import clock
from loremark.base.folders import state_folder
from loremark.base.settings import Settings

_MOST_BYTES = 16 * 1024


class RunningServer(msgspec.Struct, frozen=True):
    """A server, and the environment variables that point a command to its data."""

    pid: int
    url: str
    started_at_ms: int
    environment: dict[str, str]


@contextmanager
def remember(settings: Settings) -> Iterator[None]:
    """Remember this process as a running server for the block. Without a state folder, it is not remembered."""
    path = _folder() / f"{os.getpid()}.json"
    if settings.on_sqlite:
        server = RunningServer(os.getpid(), settings.base_url, clock.now_ms(), data_environment(settings))
        _write(path, msgspec.json.encode(server))
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def find_server(url: str | None) -> RunningServer | None:
    """The running server with this URL, or else the one that started last. Forgets those that were killed."""
    running = []
    for path in sorted(_folder().glob("*.json")):
        server = _read(path)
        if server is None or not _is_alive(server.pid):
            path.unlink(missing_ok=True)
        elif url in (None, server.url):
            running.append(server)
    return max(running, key=lambda server: server.started_at_ms, default=None)


def data_environment(settings: Settings) -> dict[str, str]:
    """Environment variables that point a command to this server's data. Passwords in URLs are left out."""
    given = {
        "LOREMARK_DATA_DIR": os.path.abspath(settings.data_dir),
        "LOREMARK_BASE_URL": settings.base_url,
    }
    if settings.config_file.is_file():
        given["LOREMARK_CONFIG_FILE"] = os.path.abspath(settings.config_file)
    if settings.on_sqlite and settings.database_url:
        given["LOREMARK_DATABASE_URL"] = f"sqlite:///{os.path.abspath(settings.sqlite_path)}"
    return given


def _folder() -> Path:
    return Path(state_folder()) / "servers"


def _write(path: Path, content: bytes) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    except OSError:
        return  # for example a read-only home: the server works, only `loremark open` does not find it


def _read(path: Path) -> RunningServer | None:
    try:
        with path.open("rb") as file:
            return msgspec.json.decode(file.read(_MOST_BYTES), type=RunningServer)
    except (OSError, msgspec.DecodeError):
        return None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # another user's process
        return True
    return True
