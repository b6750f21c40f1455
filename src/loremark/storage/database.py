"""What the floors above see of the database: transactions, rows, and signals after a commit."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from loremark.storage.signals import Signals
from loremark.storage.statements import Bulk, Engine, Query


class StorageUnavailable(Exception):
    """The database cannot be reached, is full, or did not answer in time. Nothing of the transaction is kept."""


class Row(Protocol):
    """A result row: values by column name."""

    def __getitem__(self, name: str, /) -> Any: ...


class Tx(Protocol):
    """A transaction. Whoever opened it commits it; services and stores never do."""

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        """The first row of a look-up by an index. Must be cheap: on SQLite it runs at once, on the event loop."""

    async def few(self, query: Query, /, **values: Any) -> list[Row]:
        """The rows of a handful of keys. Must be as cheap as ``one``, and runs where that does."""

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        """All rows of a listing."""

    async def run(self, query: Query, /, **values: Any) -> int:
        """A write that touches few rows; returns how many."""

    async def sweep(self, query: Query, /, **values: Any) -> int:
        """A write that may touch many rows; returns how many."""

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        """Insert rows, leaving out those that are there already; the positions of the inserted ones."""

    async def lock(self, name: str, /) -> None:
        """Until the transaction ends, no other transaction holds this name. (SQLite has one writer anyway.)"""

    def notify(self, topic: str, payload: str) -> None:
        """Tell listeners in every process, once and only if this transaction commits."""


class Database(Protocol):
    """An engine with its connections."""

    engine: Engine
    signals: Signals

    def state(self) -> int | None:
        """Another number after every commit, by whomever; None where that cannot be told cheaply."""

    def read(self) -> AbstractAsyncContextManager[Tx]:
        """A read: every statement sees the newest committed state."""

    def write(self) -> AbstractAsyncContextManager[Tx]:
        """A write: committed when the block ends, rolled back when it raises; ends only after the commit."""

    async def close(self) -> None: ...
