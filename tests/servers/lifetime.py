"""When the servers of a test run start and end, for conftest to call."""

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

_known: dict[str, PostgresServer | RedisServer] = {}
_exported: set[str] = set()
_failures: dict[str, str] = {}


def start_all(config: pytest.Config) -> None:
    """Starts the servers before xdist starts its workers; without workers each starts at its first use."""
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
    server = _known.get(POSTGRES_VARIABLE)
    if not isinstance(server, PostgresServer):
        server = _obtain(POSTGRES_VARIABLE, "postgres", PostgresServer, postgres_module.start)
    return server


def redis() -> RedisServer:
    """The run's Redis: the one named by the environment, or one started now."""
    server = _known.get(REDIS_VARIABLE)
    if not isinstance(server, RedisServer):
        server = _obtain(REDIS_VARIABLE, "redis", RedisServer, redis_module.start)
    return server


def stop_all() -> None:
    """Ends what was started here and takes its addresses out of the environment; may be called twice."""
    for server in _known.values():
        server.stop()
    for variable in _exported:
        os.environ.pop(variable, None)
    _known.clear()
    _exported.clear()


def child_env() -> dict[str, str]:
    """The environment for a process of the product: ours without any LOREMARK_ variable, and bytecode is kept."""
    left_out = ("LOREMARK_", "PYTHONDONTWRITEBYTECODE")
    return {name: value for name, value in os.environ.items() if not name.startswith(left_out)}


def _obtain(variable: str, name: str, known_at: Callable[[str], Server], start: Callable[..., Server]) -> Server:
    address = os.environ.get(variable)
    if address:
        server = known_at(address)
    elif variable in _failures:
        raise ServerError(_failures[variable])
    elif "PYTEST_XDIST_WORKER" in os.environ:
        raise ServerError(f"A test worker has no {variable}: conftest must call start_all when it is configured.")
    else:
        folder = Path(tempfile.mkdtemp(prefix=f"loremark-test-{name}-"))
        try:
            server = start(folder, remove=True)
        except ServerError as error:
            shutil.rmtree(folder, ignore_errors=True)
            _failures[variable] = str(error)  # told again to every test that asks, without a new attempt
            raise
        os.environ[variable] = server.address
        _exported.add(variable)
    _known[variable] = server
    return server
