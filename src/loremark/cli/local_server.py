"""Start, find and stop a server on this machine. Its process is independent of the command that started it."""

from __future__ import annotations

import os
import signal
import socket
import sys
from http.client import HTTPException
from pathlib import Path
from typing import NamedTuple

import msgspec

from loremark.base import clock, profile, running_servers
from loremark.base.folders import state_folder
from loremark.base.running_servers import ServerRecord
from loremark.base.settings import Settings, SettingsError, environment_with, load
from loremark.cli import output
from loremark.cli.framework import USAGE, CommandError
from loremark.client.call import ApiError, Call
from loremark.client.http_connection import HttpConnection

START_TIMEOUT_S = 180.0
_STOP_TIMEOUT_S = 60.0
_PROBE_TIMEOUT_S = 5.0
_PROBE_BYTES = 8_000_000
_POLL_S = 0.1
_LOG_BYTES = 5_000_000
_ERROR_BYTES = 4_000
_MORE_PORTS = 50
_DATA_VARIABLES = ("LOREMARK_DATA_DIR", "LOREMARK_DATABASE_URL", "LOREMARK_CONFIG_FILE")


class _Info(msgspec.Struct):
    title: str
    version: str


class _Document(msgspec.Struct):
    info: _Info


def find_version(url: str) -> str | None:
    """The version of the Loremark server at this address, or None if there is none."""
    status, content = _get(url, "/openapi.json")
    if status != 200:
        return None
    try:
        info = msgspec.json.decode(content, type=_Document).info
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return info.version if info.title == "Loremark" else None


def is_ready(url: str) -> bool:
    return _get(url, "/readyz")[0] == 200


def _get(url: str, path: str) -> tuple[int, bytes]:
    """The status and content of one request, without retries; status 0 if there is no answer."""
    connection = HttpConnection(url, _PROBE_TIMEOUT_S, _PROBE_TIMEOUT_S)
    try:
        with connection.exchange(Call(method="GET", path=path, response_type=bytes), {}) as response:
            return response.status, response.read(_PROBE_BYTES)
    except (ApiError, OSError, HTTPException):
        return 0, b""
    finally:
        connection.close()


class StartPlan(NamedTuple):
    """How to start a server: its settings, and what to change in the environment for it."""

    settings: Settings
    environment: dict[str, str]


def plan_start() -> StartPlan:
    """Use the settings of this environment; if it names no data, those of the server that was last used here."""
    changes: dict[str, str] = {}
    if not any(environment_with({}).get(name) for name in _DATA_VARIABLES):
        url = profile.configured_url() or profile.DEFAULT_URL
        known = [server for server in running_servers.list_known() if server.url == url and server.on_sqlite]
        changes = known[0].environment if known else {}
    try:
        return StartPlan(load(environment_with(changes)), changes)
    except SettingsError as error:
        raise CommandError(str(error), USAGE) from None


def log_path() -> str:
    return os.path.join(state_folder(), "server.log")


def free_port(settings: Settings) -> int:
    """The configured port, or the next free one if another program uses it."""
    for port in range(settings.port, min(settings.port + _MORE_PORTS, 65_536)):
        if _is_free(settings.host, port):
            return port
    raise CommandError(f"ports {settings.port} to {settings.port + _MORE_PORTS - 1} are in use; set LOREMARK_PORT")


def _is_free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def save_port(settings: Settings, port: int) -> None:
    """Add the port to the settings file, so that the server keeps its address."""
    settings.config_file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = settings.config_file.read_text(encoding="utf-8") if settings.config_file.is_file() else ""
    newline = "" if before.endswith("\n") or not before else "\n"
    settings.config_file.write_text(f"{before}{newline}port = {port}\n", encoding="utf-8")


def start(plan: StartPlan, seconds: float = START_TIMEOUT_S) -> ServerRecord:
    """Start a server in the background and wait until it answers. One that is just starting is waited for."""
    log, url = log_path(), plan.settings.local_url
    os.makedirs(os.path.dirname(log), mode=0o700, exist_ok=True)
    if os.path.exists(log) and os.path.getsize(log) > _LOG_BYTES:
        os.replace(log, f"{log}.1")
    start_of_log = os.path.getsize(log) if os.path.exists(log) else 0
    process = _spawn(log, plan.environment) if running_servers.find_running(url) is None else None
    deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline:
        server = running_servers.find_running(url)
        if server is not None and is_ready(server.url):
            return server
        if process is not None and os.waitpid(process, os.WNOHANG)[0]:
            process, server = None, running_servers.find_running(url)  # another command may have been faster
        if process is None and server is None:
            raise CommandError(f"the server did not start: {_last_error(log, start_of_log)}")
        clock.pause(_POLL_S)
    raise CommandError(f"the server is still not ready after {seconds:g} s; see {log}")


def _spawn(log: str, changes: dict[str, str]) -> int:
    """Start the process in a session of its own, so that it outlives the terminal. Returns its ID."""
    file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        return os.posix_spawn(
            sys.executable,
            # -P: the current folder may be a stranger's repository.
            [sys.executable, "-P", "-m", "loremark.entry.main", "serve", "--create-owner", "--log", log],
            environment_with(changes),
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, file, 1),
                (os.POSIX_SPAWN_DUP2, file, 2),
            ],
            setsid=True,
        )
    finally:
        os.close(file)


def _last_error(log: str, start: int) -> str:
    """The last line that the server wrote."""
    with open(log, "rb") as file:
        file.seek(max(start, os.path.getsize(log) - _ERROR_BYTES))
        lines = [line.strip() for line in file.read().decode(errors="replace").splitlines() if line.strip()]
    return output.one_line(lines[-1].removeprefix("loremark: "), 500) if lines else f"see {log}"


def stop(server: ServerRecord, seconds: float = _STOP_TIMEOUT_S) -> None:
    """Ask a server to stop, and wait until it has finished its running requests."""
    try:
        os.kill(server.pid, signal.SIGTERM)
    except ProcessLookupError:
        return
    except PermissionError:
        raise CommandError(f"the server at {server.url} (process {server.pid}) belongs to another user") from None
    deadline = clock.monotonic() + seconds
    while clock.monotonic() < deadline:
        if all(each.pid != server.pid for each in running_servers.list_running()):
            return
        clock.pause(_POLL_S)
    raise CommandError(f"the server (process {server.pid}) is still running after {seconds:g} s")


def describe(server: ServerRecord) -> list[tuple[str, str]]:
    """What to show about a server, as rows."""
    rows = [
        ("address", server.url),
        ("version", server.version),
        ("process", str(server.pid)),
        ("started", clock.iso(server.started_at_ms)[:19].replace("T", " ") + " UTC"),
        ("data", server.data_dir),
    ]
    return [*rows, ("log", server.log_file)] if server.log_file else rows


def shorten(path: str | Path) -> str:
    """The path with ``~`` for the home folder."""
    home, text = os.path.expanduser("~"), str(path)
    return f"~{text[len(home) :]}" if text == home or text.startswith(home + os.sep) else text
