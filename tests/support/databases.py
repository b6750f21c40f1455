"""Fresh, migrated databases for tests on either engine, copied from a template created once per worker."""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from threading import Thread

from loremark.base import ids
from loremark.storage import schema
from tests.servers import lifetime

ENGINES = ("sqlite", "postgresql")


def _migrate(address: str | Path) -> None:
    """Migrate on a separate event loop, even while another one is running."""
    failures: list[BaseException] = []

    def work() -> None:
        try:
            asyncio.run(schema.migrate(address))
        except BaseException as error:
            failures.append(error)

    thread = Thread(target=work)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


@cache
def _sqlite_template() -> Path:
    path = Path(tempfile.mkdtemp(prefix="loremark-template-")) / "template.db"
    _migrate(path)
    return path


@cache
def _postgres_template() -> str:
    name = f"template_{os.getpid()}"
    server = lifetime.postgres()
    server.create_database(name)
    _migrate(server.url(name))
    return name


def fresh_sqlite(folder: Path) -> str:
    """Return the URL of a migrated SQLite file in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "loremark.db"
    shutil.copyfile(_sqlite_template(), path)
    return f"sqlite:///{path}"


def _copy_postgres() -> str:
    name = ids.serial("test")
    server = lifetime.postgres()
    server.create_database(name, template=_postgres_template())
    return server.url(name)


_executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="databases")
_next: deque[Future[str]] = deque()


def fresh_postgres() -> str:
    """Return the URL of a new, migrated PostgreSQL database; the next one is created in the background."""
    if not _next:
        _next.append(_executor.submit(_copy_postgres))
    made = _next.popleft().result()
    _next.append(_executor.submit(_copy_postgres))
    return made


def fresh(engine: str, folder: Path) -> str:
    return fresh_sqlite(folder) if engine == "sqlite" else fresh_postgres()


def empty(engine: str, folder: Path) -> str | Path:
    """Return the address of an empty database, in the form the storage layer accepts."""
    if engine == "sqlite":
        return folder / "empty.db"
    name = ids.new("test")
    lifetime.postgres().create_database(name)
    return lifetime.postgres().url(name)


def storage_address(url: str) -> str | Path:
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:") else url
