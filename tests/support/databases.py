"""A fresh, migrated database for a test, on either engine, copied from a template made once a worker."""

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


def _run_apart(address: str | Path) -> None:
    """Migrate on a loop of its own, also while another loop is running."""
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
    _run_apart(path)
    return path


@cache
def _postgres_template() -> str:
    name = f"template_{os.getpid()}"
    server = lifetime.postgres()
    server.create_database(name)
    _run_apart(server.url(name))
    return name


def fresh_sqlite(folder: Path) -> str:
    """The address of a migrated SQLite file in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "loremark.db"
    shutil.copyfile(_sqlite_template(), path)
    return f"sqlite:///{path}"


def _copy_postgres() -> str:
    name = ids.serial("test")
    server = lifetime.postgres()
    server.create_database(name, template=_postgres_template())
    return server.url(name)


_maker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="databases")
_next: deque[Future[str]] = deque()


def fresh_postgres() -> str:
    """The address of a migrated PostgreSQL database of its own. The next one is made while a test is at work."""
    if not _next:
        _next.append(_maker.submit(_copy_postgres))
    made = _next.popleft().result()
    _next.append(_maker.submit(_copy_postgres))
    return made


def fresh(engine: str, folder: Path) -> str:
    return fresh_sqlite(folder) if engine == "sqlite" else fresh_postgres()


def empty(engine: str, folder: Path) -> str | Path:
    """The address of a database in which nothing has been made yet, as the storage floor takes it."""
    if engine == "sqlite":
        return folder / "empty.db"
    name = ids.new("test")
    lifetime.postgres().create_database(name)
    return lifetime.postgres().url(name)


def storage_address(url: str) -> str | Path:
    return Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:") else url
