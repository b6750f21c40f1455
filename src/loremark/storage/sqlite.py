"""SQLite with a single writer, group commit and concurrent readers.

Lookups and small writes take about ten microseconds and run on the event loop, because a thread switch would cost
several times that. Slow work runs in threads: listings, bulk writes, and every COMMIT, which waits for the disk (WAL,
synchronous=FULL). Write transactions take turns in savepoints of one outer transaction. When none is waiting or the
batch is full, one COMMIT makes them all durable, and only then do their blocks end.
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

from loremark.base.slow_work import end_writing, start_writing
from loremark.storage.batch import Batch
from loremark.storage.database import Row, StorageUnavailable, Tx
from loremark.storage.signals import Signals
from loremark.storage.sqlite_connection import BUSY_TIMEOUT_MS, connect
from loremark.storage.sqlite_rows import all_rows, data_version, first_row, rows_inserted, rows_touched
from loremark.storage.statements import SQLITE, Bulk, Query, compiled_for

T = TypeVar("T")

_ROWS_AT_ONCE = 8


class SqliteDatabase:
    """The embedded engine."""

    engine = SQLITE

    def __init__(self, path: Path, *, readers: int = 4) -> None:
        self._path = path
        self.signals = Signals()
        self._loop_connection = connect(path)
        self._state: int | None = None
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = [self._loop_connection]
        self._readers = ThreadPoolExecutor(max_workers=max(1, readers), thread_name_prefix="sqlite-read")
        self._writer = _Writer(connect(path), self.signals)

    async def in_reader(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """Run a read in one of the reader threads."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, lambda: work(self._thread_connection()))

    def _thread_connection(self) -> sqlite3.Connection:
        found: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if found is None:
            found = self._local.connection = connect(self._path)
            self._opened.append(found)
        return found

    def data_version(self) -> int:
        """Query once per event loop iteration: later callers run after the cached value is cleared."""
        if self._state is None:
            self._state = data_version(self._loop_connection)
            asyncio.get_running_loop().call_soon(self._forget_state)
        return self._state

    def _forget_state(self) -> None:
        self._state = None

    def read(self) -> _Read:
        return _Read(self._loop_connection, self)

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Tx]:
        try:
            async with self._writer.turn() as tx:
                task = start_writing()
                try:
                    yield tx
                finally:
                    end_writing(task)
        except sqlite3.OperationalError as error:
            raise StorageUnavailable(str(error)) from error

    async def close(self) -> None:
        await self._writer.close()
        self._readers.shutdown(wait=True)
        for connection in self._opened:
            connection.close()


class _Read:
    """Reads outside a transaction: each statement sees the latest committed state."""

    __slots__ = ("_database", "_loop_connection")

    def __init__(self, near: sqlite3.Connection, database: SqliteDatabase) -> None:
        self._loop_connection = near
        self._database = database

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.OperationalError):
            raise StorageUnavailable(str(error)) from error

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        return first_row(self._loop_connection, compiled_for(query, SQLITE), values)

    async def few(self, query: Query, /, **values: Any) -> list[Row]:
        return all_rows(self._loop_connection, compiled_for(query, SQLITE), values)

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        compiled = compiled_for(query, SQLITE)
        return await self._database.in_reader(lambda connection: all_rows(connection, compiled, values))

    async def run(self, query: Query, /, **values: Any) -> int:
        raise TypeError("a read transaction does not write")

    sweep = run

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        raise TypeError("a read transaction does not write")

    async def lock(self, name: str, /) -> None:
        raise TypeError("a read transaction does not lock")

    def notify(self, topic: str, payload: str) -> None:
        raise TypeError("a read transaction does not notify")


class _Write:
    """A write transaction: one turn at the writer."""

    def __init__(self, writer: _Writer) -> None:
        self._writer = writer
        self.notices: list[tuple[str, str]] = []

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        return first_row(self._writer.connection, compiled_for(query, SQLITE), values)

    async def few(self, query: Query, /, **values: Any) -> list[Row]:
        return all_rows(self._writer.connection, compiled_for(query, SQLITE), values)

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        compiled = compiled_for(query, SQLITE)
        return await self._writer.in_thread(lambda: all_rows(self._writer.connection, compiled, values))

    async def run(self, query: Query, /, **values: Any) -> int:
        return rows_touched(self._writer.connection, compiled_for(query, SQLITE), values)

    async def sweep(self, query: Query, /, **values: Any) -> int:
        compiled = compiled_for(query, SQLITE)
        return await self._writer.in_thread(lambda: rows_touched(self._writer.connection, compiled, values))

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        if len(rows) < _ROWS_AT_ONCE:
            return rows_inserted(self._writer.connection, bulk, rows)
        # Many rows are worth a thread switch: meanwhile the loop reads the requests of the next group.
        return await self._writer.in_thread(lambda: rows_inserted(self._writer.connection, bulk, rows))

    async def lock(self, name: str, /) -> None:
        """Nothing to do: there is only one writer at a time."""

    def notify(self, topic: str, payload: str) -> None:
        self.notices.append((topic, payload))


class _Writer:
    """The only connection that writes. Turns are granted in FIFO order."""

    def __init__(self, connection: sqlite3.Connection, signals: Signals) -> None:
        self.connection = connection
        self._signals = signals
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="sqlite-write")
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._busy = False
        self._batch: Batch | None = None
        self._committing: asyncio.Task[None] | None = None

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run work in the writer's thread, to completion even if the caller is cancelled."""
        running = asyncio.get_running_loop().run_in_executor(self._thread, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            await asyncio.wait([running])
            raise

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[_Write]:
        await self._take_turn()
        tx = _Write(self)
        batch: Batch | None = None
        try:
            batch = self._batch = self._batch or await self._begin()
            self.connection.execute("SAVEPOINT turn")
            yield tx
            self.connection.execute("RELEASE turn")
            batch.size += 1
            batch.notices += tx.notices
        except BaseException:
            if batch is not None:
                self._undo_turn(batch)
            elif self.connection.in_transaction:  # cancelled while waiting for the lock
                self.connection.execute("ROLLBACK")
            raise
        finally:
            self._end_turn()
        await asyncio.shield(batch.durable)

    def _undo_turn(self, batch: Batch) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK TO turn")
            self.connection.execute("RELEASE turn")
            return
        # On a full disk or an I/O error SQLite rolls back the outer transaction, so the whole batch is lost.
        self._batch = None
        batch.fail("the database rolled the transaction back")

    async def _take_turn(self) -> None:
        if not self._busy:
            self._busy = True
            return
        mine: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._end_turn()
            raise

    async def _begin(self) -> Batch:
        await self._begin_immediate()
        return Batch()

    async def _begin_immediate(self) -> None:
        try:
            self.connection.execute("PRAGMA busy_timeout=0")
            self.connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            # Another process (the operator's CLI) is writing: wait for it in a thread.
            self.connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}")
            await self.in_thread(lambda: self.connection.execute("BEGIN IMMEDIATE"))

    def _end_turn(self) -> None:
        """Pass the turn to the next waiter, or commit the batch."""
        batch = self._batch
        if batch is not None and (batch.full or not self._has_waiting()):
            self._batch = None
            self._committing = asyncio.get_running_loop().create_task(self._commit(batch))
            return
        self._pass_turn()

    def _has_waiting(self) -> bool:
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft()
        return bool(self._waiting)

    def _pass_turn(self) -> None:
        if self._has_waiting():
            self._waiting.popleft().set_result(None)
        else:
            self._busy = False

    async def _commit(self, batch: Batch) -> None:
        try:
            await self.in_thread(lambda: self.connection.execute("COMMIT"))
        except sqlite3.Error as error:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            batch.fail(f"the commit failed: {error}")
        else:
            batch.durable.set_result(None)
            for topic, payload in batch.notices:
                self._signals.publish(topic, payload)
        finally:
            self._pass_turn()

    async def close(self) -> None:
        await self._take_turn()
        self._thread.shutdown(wait=True)
        self.connection.close()
