"""One real PostgreSQL with pgvector for the whole test run."""

import asyncio
import os
import secrets
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import asyncpg

from tests.servers.install import programs, server_account
from tests.servers.process import SupervisedProcess, on_free_port

ADMIN = "postgres"

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a temporary folder's path can be too long for a socket
    "max_connections": "300",
    "shared_buffers": "128MB",
    "timezone": "UTC",
    "scram_iterations": "1",  # the password is random and short-lived; tests connect very often
    "log_timezone": "UTC",
    "log_checkpoints": "off",
    "log_min_messages": "log",  # above "error": errors that tests provoke on purpose are not logged
    "log_min_error_statement": "panic",
    # No test crashes the machine, so fsync would only slow down creating thousands of databases.
    "fsync": "off",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
}
"""Written to the cluster's configuration."""


class PostgresServer:
    """A running PostgreSQL, started here or known only by its address."""

    def __init__(self, address: str, process: SupervisedProcess | None = None) -> None:
        self.address = address
        self._process = process

    def url(self, database: str) -> str:
        """The address of one database."""
        return urlunsplit(urlsplit(self.address)._replace(path="/" + quote(database, safe="")))

    def create_database(self, name: str, template: str | None = None) -> None:
        """Creates a database; the template must have no open connections."""
        source = "" if template is None else f" TEMPLATE {_quoted(template)}"
        self._run(f"CREATE DATABASE {_quoted(name)}{source} STRATEGY FILE_COPY")

    def drop_database(self, name: str) -> None:
        """Drops a database if it exists, closing any open connections."""
        self._run(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")

    def stop(self) -> None:
        """Stops the server if it was started here."""
        if self._process is not None:
            self._process.stop()

    def _run(self, statement: str) -> None:
        """Runs one statement in a separate thread, because the caller may be inside an event loop."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(lambda: asyncio.run(self._execute(statement))).result()

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self.address)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


def start(folder: Path, *, remove: bool = False) -> PostgresServer:
    """Starts PostgreSQL with its data in this folder, which is created if needed and removed at the end if requested.

    As root, the server runs under an unprivileged account, which must be able to reach the folder.
    """
    return on_free_port(lambda port: _start(folder.absolute(), port, remove=remove))


def _start(folder: Path, port: int, *, remove: bool) -> PostgresServer:
    owner = server_account()
    folder.mkdir(parents=True, exist_ok=True)
    data = folder / "data"
    secret = folder / "password"
    first = not (data / "PG_VERSION").exists()
    if first:
        data.mkdir(mode=0o700, exist_ok=True)
        secret.touch(mode=0o600)
        secret.write_text(secrets.token_hex(16))
    if owner is not None:
        folder.chmod(folder.stat().st_mode | 0o011)
        os.chown(data, *owner)
        os.chown(secret, *owner)
    bin_folder = programs(folder, owner)
    commands = [[str(bin_folder / "postgres"), "-D", str(data), "-p", str(port)]]
    if first:
        commands.insert(0, _initdb_command(bin_folder, data, secret))
    process = SupervisedProcess("PostgreSQL", commands, folder, stop_signal=signal.SIGINT, owner=owner, remove=remove)
    process.wait_until(lambda: _is_ready(data, port))
    # This server has no TLS, so trying it first would only cost a round trip.
    address = f"postgresql://{ADMIN}:{secret.read_text()}@127.0.0.1:{port}/{ADMIN}?sslmode=disable"
    return PostgresServer(address, process)


def _initdb_command(bin_folder: Path, data: Path, secret: Path) -> list[str]:
    """The command that creates a cluster independent of the machine's locale and time zone."""
    command = [str(bin_folder / "initdb"), "-D", str(data), "-U", ADMIN, "--no-sync", "--no-instructions"]
    command += ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8"]
    command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    for name, value in SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    return command


def _is_ready(data: Path, port: int) -> bool:
    """Whether this cluster's server, not another one on the same port, accepts connections."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[3] == str(port) and lines[7].strip() == "ready"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
