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
    "log_min_messages": "log",  # above "error": what the tests provoke on purpose is not written
    "log_min_error_statement": "panic",
    # The machine keeps what a killed process has written, and no test turns it off; thousands of databases are made.
    "fsync": "off",
    "max_wal_size": "4GB",
    "checkpoint_timeout": "1h",
}
"""Written into the cluster's own settings."""


class PostgresServer:
    """A running PostgreSQL, started here or only known by its address."""

    def __init__(self, address: str, process: SupervisedProcess | None = None) -> None:
        self.address = address
        self._process = process

    def url(self, database: str) -> str:
        """The address of one database."""
        return urlunsplit(urlsplit(self.address)._replace(path="/" + quote(database, safe="")))

    def create_database(self, name: str, template: str | None = None) -> None:
        """Creates a database; nobody may be connected to the template meanwhile."""
        source = "" if template is None else f" TEMPLATE {_quoted(template)}"
        self._run(f"CREATE DATABASE {_quoted(name)}{source} STRATEGY FILE_COPY")

    def drop_database(self, name: str) -> None:
        """Drops a database if it exists, throwing out whoever is still connected."""
        self._run(f"DROP DATABASE IF EXISTS {_quoted(name)} WITH (FORCE)")

    def stop(self) -> None:
        """Ends the server if it was started here."""
        if self._process is not None:
            self._process.stop()

    def _run(self, statement: str) -> None:
        """Runs one statement in a thread of its own, as the caller may be inside a running event loop."""
        with ThreadPoolExecutor(max_workers=1) as pool:
            pool.submit(lambda: asyncio.run(self._execute(statement))).result()

    async def _execute(self, statement: str) -> None:
        connection = await asyncpg.connect(self.address)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


def start(folder: Path, *, remove: bool = False) -> PostgresServer:
    """Starts PostgreSQL on data in this folder, which is made if needed and removed at the end if wished.

    As root the server runs as an unprivileged account, which must be able to reach the folder.
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
        commands.insert(0, _initialise(bin_folder, data, secret))
    process = SupervisedProcess("PostgreSQL", commands, folder, stop_signal=signal.SIGINT, owner=owner, remove=remove)
    process.wait_until(lambda: _is_ready(data, port))
    # Asking for TLS first would only cost a round trip: this server has none.
    address = f"postgresql://{ADMIN}:{secret.read_text()}@127.0.0.1:{port}/{ADMIN}?sslmode=disable"
    return PostgresServer(address, process)


def _initialise(bin_folder: Path, data: Path, secret: Path) -> list[str]:
    """The command that makes a new cluster which does not depend on the machine's locale or time zone."""
    command = [str(bin_folder / "initdb"), "-D", str(data), "-U", ADMIN, "--no-sync", "--no-instructions"]
    command += ["--auth=scram-sha-256", f"--pwfile={secret}", "--encoding=UTF8"]
    command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
    for name, value in SETTINGS.items():
        command += ["-c", f"{name}={value}"]
    return command


def _is_ready(data: Path, port: int) -> bool:
    """Whether this very cluster's server, and not a stranger on the same port, takes connections."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
    except FileNotFoundError:
        return False
    return len(lines) >= 8 and lines[3] == str(port) and lines[7].strip() == "ready"


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
