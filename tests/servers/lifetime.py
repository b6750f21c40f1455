"""Starts and stops the servers of a test run; called by conftest."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from tests.servers import postgres as postgres_module
from tests.servers import redis as redis_module
from tests.servers.postgres import PostgresServer
from tests.servers.process import ServerError
from tests.servers.redis import RedisServer

POSTGRES_VARIABLE = "LOREMARK_TEST_POSTGRES"
REDIS_VARIABLE = "LOREMARK_TEST_REDIS"

Server = TypeVar("Server", PostgresServer, RedisServer)

_servers: dict[str, PostgresServer | RedisServer] = {}
_exported: set[str] = set()
_failures: dict[str, str] = {}


def start_all(config: pytest.Config) -> None:
    """Starts the servers before xdist starts its workers; without xdist, each starts on first use."""
    if hasattr(config, "workerinput") or config.getoption("collectonly", default=False):
        return
    if config.getoption("dist", default="no") == "no":
        return
    try:
        postgres()
        redis()
    except ServerError as error:
        stop_all()
        raise pytest.UsageError(str(error)) from error


def postgres() -> PostgresServer:
    """The run's PostgreSQL: the one named by the environment, or one started now."""
    server = _servers.get(POSTGRES_VARIABLE)
    if not isinstance(server, PostgresServer):
        server = _get_or_start(POSTGRES_VARIABLE, "postgres", PostgresServer, postgres_module.start)
    return server


def redis() -> RedisServer:
    """The run's Redis: the one named by the environment, or one started now."""
    server = _servers.get(REDIS_VARIABLE)
    if not isinstance(server, RedisServer):
        server = _get_or_start(REDIS_VARIABLE, "redis", RedisServer, redis_module.start)
    return server


def stop_all() -> None:
    """Stops the servers started here and removes their addresses from the environment; safe to call twice."""
    for server in _servers.values():
        server.stop()
    for variable in _exported:
        os.environ.pop(variable, None)
    _servers.clear()
    _exported.clear()


def child_env() -> dict[str, str]:
    """The environment for product processes: ours without LOREMARK_ variables, and with bytecode caching."""
    excluded = ("LOREMARK_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(excluded)}


def _get_or_start(
    variable: str, name: str, from_address: Callable[[str], Server], start: Callable[..., Server]
) -> Server:
    address = os.environ.get(variable)
    if address:
        server = from_address(address)
    elif variable in _failures:
        raise ServerError(_failures[variable])
    elif "PYTEST_XDIST_WORKER" in os.environ:
        raise ServerError(f"A test worker has no {variable}: conftest must call start_all in pytest_configure.")
    else:
        folder = Path(tempfile.mkdtemp(prefix=f"loremark-test-{name}-"))
        try:
            server = start(folder, remove=True)
        except ServerError as error:
            shutil.rmtree(folder, ignore_errors=True)
            _failures[variable] = str(error)  # reported to every later test without another attempt
            raise
        os.environ[variable] = server.address
        _exported.add(variable)
    _servers[variable] = server
    return server
