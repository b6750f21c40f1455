"""The database interface for the layers above: transactions, rows, and signals after a commit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from loremark.storage.signals import Signals
from loremark.storage.statements import Bulk, Engine, Query


class StorageUnavailable(Exception):
    """The database is unreachable, full or too slow. The transaction was rolled back."""


class Row(Protocol):
    """A result row: values by column name."""

    def __getitem__(self, name: str, /) -> Any: ...


class Tx(Protocol):
    """A transaction. The code that opened it commits it; services and stores never do."""

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        """Return the first row. Only for cheap index lookups: on SQLite it runs on the event loop."""

    async def few(self, query: Query, /, **values: Any) -> list[Row]:
        """Return the rows of a handful of keys. Must be as cheap as ``one``: on SQLite it runs on the event loop."""

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        """Return all rows of a query of any size."""

    async def run(self, query: Query, /, **values: Any) -> int:
        """Write a few rows. Return how many were changed."""

    async def sweep(self, query: Query, /, **values: Any) -> int:
        """Write many rows. Return how many were changed."""

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        """Insert rows that do not exist yet. Return the positions of the inserted ones."""

    async def lock(self, name: str, /) -> None:
        """Hold an exclusive lock on the name until the transaction ends. (SQLite has a single writer anyway.)"""

    def notify(self, topic: str, payload: str) -> None:
        """Signal listeners in every process, once, after this transaction commits."""


class Database(Protocol):
    """A database engine with its connections."""

    engine: Engine
    signals: Signals

    def data_version(self) -> int | None:
        """Return a number that changes with every commit by any process, or None if the engine has no cheap one."""

    def read(self) -> AbstractAsyncContextManager[Tx]:
        """Open a read: every statement sees the latest committed state."""

    def write(self) -> AbstractAsyncContextManager[Tx]:
        """Open a write transaction: committed when the block ends, rolled back if it raises."""

    async def close(self) -> None: ...
