"""PostgreSQL through asyncpg."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

import asyncpg

from loremark.base import log
from loremark.base.slow_work import end_writing, start_writing
from loremark.storage.database import Row, StorageUnavailable
from loremark.storage.signals import Signals
from loremark.storage.statements import POSTGRES, Bulk, Query, compiled_for

_CHANNEL = "loremark"
_NOTIFY = "SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice"
_CONNECT_SECONDS = 10.0
_STATEMENT_SECONDS = 60.0
_ACQUIRE_SECONDS = 10.0
_CLOSE_SECONDS = 2.0
_LISTEN_AGAIN_SECONDS = 1.0
_PROBE_SECONDS = 30.0

_UNAVAILABLE = (
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.InternalClientError,
    asyncpg.CannotConnectNowError,
    OSError,
    TimeoutError,
)

_log = log.logger("postgres")


class _Guard:
    """Turns driver errors about an unavailable server into ``StorageUnavailable``; our own bugs pass through.

    Use it around statements only, not around the code between them.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        # asyncpg reports a value it cannot encode as an InterfaceError, but that is our bug.
        if isinstance(error, _UNAVAILABLE) and not isinstance(error, ValueError):
            raise StorageUnavailable(str(error)) from error


_guard = _Guard()


class _Connection(asyncpg.Connection):  # type: ignore[misc]
    """A pooled connection without a reset between uses, because we leave no session state."""

    __slots__ = ()

    def get_reset_query(self) -> str:
        return ""


class PostgresDatabase:
    """The engine for several processes and servers. Open it with ``open_postgres``."""

    engine = POSTGRES

    def __init__(self, url: str, pool: Any) -> None:
        self._url = url
        self._pool = pool
        self.signals = Signals()
        self._listening = asyncio.create_task(self._listen_forever())

    def data_version(self) -> None:
        """PostgreSQL has no such number."""

    def read(self) -> _Read:
        return _Read(self._pool)

    def write(self) -> _Write:
        return _Write(self._pool)

    async def _listen_forever(self) -> None:
        """Receive the signals of all processes, reconnecting after errors."""
        while True:
            try:
                await self._listen_until_lost()
                _log.warning("signal connection lost, reconnecting")
            except (*_UNAVAILABLE, asyncpg.PostgresError) as error:
                _log.warning("cannot listen for signals, retrying", error=str(error))
                await asyncio.sleep(_LISTEN_AGAIN_SECONDS)

    async def _listen_until_lost(self) -> None:
        connecting = asyncio.ensure_future(asyncpg.connect(self._url, timeout=_CONNECT_SECONDS))
        try:
            connection = await asyncio.shield(connecting)
        except asyncio.CancelledError:
            await _close_when_open(connecting)
            raise
        lost = asyncio.Event()
        connection.add_termination_listener(lambda _: lost.set())
        try:
            await connection.add_listener(_CHANNEL, self._hear)
            while not lost.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(lost.wait(), _PROBE_SECONDS)
                    return
                # A connection dropped by the network is only noticed when it is used.
                await connection.execute("SELECT 1", timeout=_CONNECT_SECONDS)
        finally:
            await _close_when_open(connecting)

    def _hear(self, _connection: object, _pid: int, _channel: str, message: str) -> None:
        topic, _, payload = message.partition(" ")
        self.signals.publish(topic, payload)

    async def close(self) -> None:
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        try:
            await asyncio.wait_for(self._pool.close(), timeout=5.0)
        except TimeoutError:
            self._pool.terminate()


async def _close_when_open(connecting: asyncio.Future[Any]) -> None:
    """Close a connection gracefully, even one still being opened; the driver warns about anything else."""
    with suppress(*_UNAVAILABLE, asyncpg.PostgresError):
        connection = await connecting
        await connection.close(timeout=_CLOSE_SECONDS)


async def open_postgres(url: str, *, pool: int = 10) -> PostgresDatabase:
    """Connect now, so an unreachable server fails at startup and not at the first request."""
    try:
        opened = await asyncpg.create_pool(
            url,
            min_size=1,
            max_size=max(2, pool),
            timeout=_CONNECT_SECONDS,
            command_timeout=_STATEMENT_SECONDS,
            statement_cache_size=512,
            connection_class=_Connection,
        )
    except (*_UNAVAILABLE, asyncpg.PostgresError) as error:
        raise StorageUnavailable(f"cannot connect to PostgreSQL: {error}") from error
    return PostgresDatabase(url, opened)


class _Read:
    """Reads outside a transaction; acquires a connection at the first statement."""

    __slots__ = ("_connection", "_pool")

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._connection: Any = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if self._connection is not None:
            with _guard:
                await self._pool.release(self._connection)

    async def _acquire(self) -> Any:
        self._connection = await self._pool.acquire(timeout=_ACQUIRE_SECONDS)
        return self._connection

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        compiled = compiled_for(query, POSTGRES)
        with _guard:
            connection = self._connection or await self._acquire()
            row: Row | None = await connection.fetchrow(compiled.text, *compiled.arguments(values))
        return row

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        compiled = compiled_for(query, POSTGRES)
        with _guard:
            connection = self._connection or await self._acquire()
            rows: list[Row] = await connection.fetch(compiled.text, *compiled.arguments(values))
        return rows

    few = many

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
    """A write transaction on one connection."""

    __slots__ = ("_connection", "_notices", "_pool", "_task")

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._connection: Any = None
        self._notices: dict[str, None] = {}
        self._task: asyncio.Task[Any] | None = None

    async def __aenter__(self) -> Self:
        with _guard:
            self._connection = await self._pool.acquire(timeout=_ACQUIRE_SECONDS)
            try:
                await self._connection.execute("BEGIN")
            except BaseException:
                await self._give_up()
                raise
        self._task = start_writing()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        end_writing(self._task)
        if error is not None:
            await self._give_up()
            return
        with _guard:
            try:
                if self._notices:
                    await self._connection.execute(_NOTIFY, _CHANNEL, list(self._notices))
                await self._connection.execute("COMMIT")
            except BaseException:
                await self._give_up()
                raise
            await self._pool.release(self._connection)

    async def _give_up(self) -> None:
        """Roll back. Terminate the connection if that fails."""
        try:
            await self._connection.execute("ROLLBACK", timeout=_CLOSE_SECONDS)
        except (*_UNAVAILABLE, asyncpg.PostgresError):
            self._throw_away()
        except BaseException:
            self._throw_away()
            raise
        finally:
            with _guard:
                await self._pool.release(self._connection)

    def _throw_away(self) -> None:
        with suppress(asyncpg.InterfaceError):  # already done by the pool if the server closed the connection
            self._connection.terminate()

    async def one(self, query: Query, /, **values: Any) -> Row | None:
        compiled = compiled_for(query, POSTGRES)
        with _guard:
            row: Row | None = await self._connection.fetchrow(compiled.text, *compiled.arguments(values))
        return row

    async def many(self, query: Query, /, **values: Any) -> list[Row]:
        compiled = compiled_for(query, POSTGRES)
        with _guard:
            rows: list[Row] = await self._connection.fetch(compiled.text, *compiled.arguments(values))
        return rows

    few = many

    async def run(self, query: Query, /, **values: Any) -> int:
        compiled = compiled_for(query, POSTGRES)
        with _guard:
            tag: str = await self._connection.execute(compiled.text, *compiled.arguments(values))
        return int(tag.rsplit(" ", 1)[-1])

    sweep = run

    async def insert_new(self, bulk: Bulk, rows: Sequence[Sequence[Any]], /) -> set[int]:
        if not rows:
            return set()
        text, arguments = bulk.for_postgres(rows)
        with _guard:
            inserted = await self._connection.fetch(text, *arguments)
        if len(inserted) == len(rows):
            return set(range(len(rows)))
        new = {row[0] for row in inserted}
        return {at for at, row in enumerate(rows) if row[0] in new}

    async def lock(self, name: str, /) -> None:
        with _guard:
            await self._connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", name)

    def notify(self, topic: str, payload: str) -> None:
        self._notices[f"{topic} {payload}"] = None  # deduplicated
