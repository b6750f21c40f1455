"""SQLite specifics: a single writer with group commit, on a file that may be locked or full."""

from __future__ import annotations

import asyncio
import resource
import sqlite3
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import text

from loremark.base import clock
from loremark.storage import batch, sqlite, sqlite_connection
from loremark.storage.database import StorageUnavailable
from loremark.storage.sqlite import SqliteDatabase
from tests.storage import facts

pytestmark = pytest.mark.anyio


@contextmanager
def _locked_by_another_process(path: Path, seconds: float) -> Iterator[None]:
    """Hold a write transaction, like another process, for this long or until the block ends."""
    held, release = threading.Event(), threading.Event()

    def hold() -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            held.set()
            release.wait(seconds)
            other.execute("ROLLBACK")

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(60)
    try:
        yield
    finally:
        release.set()
        thread.join()


@asynccontextmanager
async def _watched_loop() -> AsyncIterator[list[int]]:
    """Count the event loop's iterations during the block, as the list's only entry."""
    ticks = [0]

    async def watch() -> None:
        while True:
            await asyncio.sleep(0.005)
            ticks[0] += 1

    watching = asyncio.create_task(watch())
    try:
        yield ticks
    finally:
        watching.cancel()


async def _put(database: SqliteDatabase, name: str, value: str = "") -> None:
    async with database.write() as tx:
        await facts.put(tx, name, value)


async def test_every_connection_is_durable_and_enforces_foreign_keys(sqlite_database: SqliteDatabase) -> None:
    async def read_pragmas(read_pragma: Callable[[str], Awaitable[object]]) -> list[object]:
        return [await read_pragma(name) for name in ("journal_mode", "synchronous", "foreign_keys")]

    async with sqlite_database.write() as tx, sqlite_database.read() as reader:

        async def on_writer(name: str) -> object:
            row = await tx.one(text(f"PRAGMA {name}"))
            return row and row[name]

        async def on_loop(name: str) -> object:
            row = await reader.one(text(f"PRAGMA {name}"))
            return row and row[name]

        async def in_thread(name: str) -> object:
            return (await reader.many(text(f"PRAGMA {name}")))[0][name]

        full = 2
        assert [await read_pragmas(read_pragma) for read_pragma in (on_writer, on_loop, in_thread)] == [
            ["wal", full, 1]
        ] * 3


async def test_foreign_key_violation_is_refused(sqlite_database: SqliteDatabase) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        async with sqlite_database.write() as tx:
            await tx.run(text("INSERT INTO team_members VALUES ('m', 'no team', 'no user', 'owner', 1)"))


async def test_concurrent_writes_share_a_few_commits(sqlite_database: SqliteDatabase) -> None:
    statements: list[str] = []
    sqlite_database._writer.connection.set_trace_callback(statements.append)
    await asyncio.gather(*(_put(sqlite_database, f"{number:03}") for number in range(200)))
    sqlite_database._writer.connection.set_trace_callback(None)
    assert len(await facts.names(sqlite_database)) == 200
    assert 1 <= statements.count("COMMIT") <= 20


async def test_single_write_does_not_wait_for_a_batch(
    sqlite_database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "_SECONDS", 3600.0)
    async with asyncio.timeout(60):
        await _put(sqlite_database, "alone")
    assert await facts.names(sqlite_database) == ["alone"]


async def test_data_version_is_shared_by_waiters_and_fresh_for_later_callers(
    sqlite_path: Path, sqlite_database: SqliteDatabase
) -> None:
    async def read_version() -> int:
        return sqlite_database.data_version()

    queries: list[str] = []
    sqlite_database._loop_connection.set_trace_callback(queries.append)
    assert len(set(await asyncio.gather(*(read_version() for _ in range(50))))) == 1
    assert len(queries) == 1
    with closing(sqlite3.connect(sqlite_path, isolation_level=None)) as other:
        for number in range(50):
            before = sqlite_database.data_version()
            other.execute("INSERT INTO installation (name, value) VALUES (?, ?)", (f"other {number}", ""))
            assert await asyncio.create_task(read_version()) != before, "a caller after the commit got the old version"
            before = sqlite_database.data_version()
            await _put(sqlite_database, str(number))
            assert sqlite_database.data_version() != before


async def test_write_by_another_process_only_delays_ours(sqlite_path: Path, sqlite_database: SqliteDatabase) -> None:
    with _locked_by_another_process(sqlite_path, 0.3):
        async with _watched_loop() as ticks:
            before = clock.monotonic()
            await asyncio.gather(*(_put(sqlite_database, str(number)) for number in range(5)))
            took = clock.monotonic() - before
    assert took > 0.1
    assert ticks[0] > 10, "the event loop was blocked by the lock"
    assert len(await facts.names_on_disk(sqlite_path)) == 5


async def test_reads_continue_while_another_process_writes(sqlite_path: Path, sqlite_database: SqliteDatabase) -> None:
    await _put(sqlite_database, "known", "value")
    with _locked_by_another_process(sqlite_path, 120.0):
        async with sqlite_database.read() as tx:
            assert await facts.find(tx, "known") == "value"
        assert await facts.names(sqlite_database) == ["known"]


async def test_cancelling_while_another_process_writes_frees_the_writer(
    sqlite_path: Path, sqlite_database: SqliteDatabase
) -> None:
    with _locked_by_another_process(sqlite_path, 0.3):
        waiting = asyncio.create_task(_put(sqlite_database, "given up"))
        await asyncio.sleep(0.1)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with asyncio.timeout(60):
        await _put(sqlite_database, "next")
    assert await facts.names_on_disk(sqlite_path) == ["next"]


async def test_lock_timeout_is_an_error_and_the_next_write_works(
    sqlite_path: Path, sqlite_database: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 50)
    with _locked_by_another_process(sqlite_path, 0.3), pytest.raises(StorageUnavailable):
        await _put(sqlite_database, "too late")
    await _put(sqlite_database, "in time")
    assert await facts.names_on_disk(sqlite_path) == ["in time"]


def test_opening_waits_while_another_process_creates_the_file(tmp_path: Path) -> None:
    """Two first starts at once: the other process has locked the new file, which is not yet in WAL mode."""
    path = tmp_path / "new.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE made_by_another (x)")
    with _locked_by_another_process(path, 0.2):
        sqlite_connection.connect(path).close()


@contextmanager
def _page_limit(database: SqliteDatabase, pages: int) -> Iterator[None]:
    """Let the file grow by at most this many pages."""
    connection = database._writer.connection
    used = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count={used + pages}")
    try:
        yield
    finally:
        connection.execute("PRAGMA max_page_count=1000000")


async def test_full_disk_fails_the_whole_batch_and_the_writer_recovers(
    sqlite_path: Path, sqlite_database: SqliteDatabase
) -> None:
    """The write that does not fit fails its whole batch; the first write had its own commit."""
    await _put(sqlite_database, "before")
    with _page_limit(sqlite_database, pages=3):
        results = await asyncio.gather(
            *(_put(sqlite_database, f"small {number}") for number in range(3)),
            _put(sqlite_database, "large", "x" * 200_000),
            *(_put(sqlite_database, f"after {number}") for number in range(3)),
            return_exceptions=True,
        )
    assert [isinstance(result, StorageUnavailable) for result in results[:4]] == [False, True, True, True]
    names = ["small 0", "small 1", "small 2", "large", "after 0", "after 1", "after 2"]
    acknowledged = [name for name, result in zip(names, results, strict=True) if result is None]
    assert all(result is None or isinstance(result, StorageUnavailable) for result in results)
    assert await facts.names_on_disk(sqlite_path) == sorted(["before", *acknowledged])
    await _put(sqlite_database, "large", "x" * 200_000)
    assert "large" in await facts.names_on_disk(sqlite_path)


@contextmanager
def _file_size_limit(size: int) -> Iterator[None]:
    """Cap the size of files this process writes, to simulate a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_failed_commit_fails_the_whole_batch(sqlite_path: Path, sqlite_database: SqliteDatabase) -> None:
    """The writes fit into memory; the COMMIT hits the full disk."""
    await _put(sqlite_database, "before")
    journal = sqlite_path.with_name(sqlite_path.name + "-wal")
    with sqlite_database.signals.listen("told") as listener:

        async def write(number: int) -> None:
            async with sqlite_database.write() as tx:
                await facts.put(tx, f"lost {number}", "x" * 20_000)
                tx.notify("told", str(number))

        with _file_size_limit(journal.stat().st_size + 10_000):
            results = await asyncio.gather(*(write(number) for number in range(5)), return_exceptions=True)
        assert [type(result) for result in results] == [StorageUnavailable] * 5
        assert await facts.names_on_disk(sqlite_path) == ["before"]
        assert await facts.names(sqlite_database) == ["before"]
        assert await listener.next(timeout=0.05) is None
        await asyncio.gather(*(write(number) for number in range(5, 8)))
        assert {await listener.next(timeout=60) for _ in range(3)} == {("told", str(number)) for number in (5, 6, 7)}
    assert len(await facts.names_on_disk(sqlite_path)) == 4


async def test_deferred_constraint_fails_the_batch_and_the_writer_recovers(
    sqlite_path: Path, sqlite_database: SqliteDatabase
) -> None:
    async with sqlite_database.write() as tx:
        await tx.one(text("CREATE TABLE late (name TEXT REFERENCES installation DEFERRABLE INITIALLY DEFERRED) STRICT"))

    async def violate_constraint() -> None:
        async with sqlite_database.write() as tx:
            await tx.run(text("INSERT INTO late VALUES ('no such fact')"))

    first, *batch = await asyncio.gather(
        _put(sqlite_database, "alone"), _put(sqlite_database, "neighbour"), violate_constraint(), return_exceptions=True
    )
    assert first is None
    assert [type(result) for result in batch] == [StorageUnavailable] * 2
    await _put(sqlite_database, "next")
    assert await facts.names_on_disk(sqlite_path) == ["alone", "next"]


async def test_long_statements_do_not_block_the_event_loop(sqlite_database: SqliteDatabase) -> None:
    """Listings and sweeps over many rows run off the event loop, in both writes and reads."""
    rows = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 300000)"
    async with _watched_loop() as ticks:
        async with sqlite_database.write() as tx:
            await tx.sweep(text(f"INSERT INTO installation {rows} SELECT 'n' || x, '' FROM n"))
            await tx.many(text(f"{rows} SELECT max(x) FROM n"))
        async with sqlite_database.read() as tx:
            assert (await tx.many(text("SELECT count(*) AS found FROM installation")))[0]["found"] == 300_000
    assert ticks[0] > 15
