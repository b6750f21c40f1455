"""Transactions on both engines: atomic, isolated, and unaffected by failures of others."""

from __future__ import annotations

import asyncio
import gc
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
from sqlalchemy import delete, select

from loremark.storage.connect import open_database
from loremark.storage.database import Database, Tx
from loremark.storage.snapshots import open_snapshot
from loremark.storage.tables import installation
from tests.storage import facts

pytestmark = pytest.mark.anyio


class Refused(Exception):
    """Raised inside a block to roll its transaction back."""


async def test_finished_block_is_on_disk(database: Database, address: str | Path) -> None:
    for number in range(20):
        async with database.write() as tx:
            await facts.put(tx, f"fact {number:02}")
        assert len(await facts.names_on_disk(address)) == number + 1
    other = await open_database(address)
    try:
        assert len(await facts.names(other)) == 20
    finally:
        await other.close()


async def test_failed_block_is_rolled_back_and_raises_its_own_error(database: Database) -> None:
    async def fail() -> None:
        async with database.write() as tx:
            await facts.put(tx, "never")
            assert await facts.find(tx, "never") == ""
            raise Refused("no thanks")

    with pytest.raises(Refused, match="no thanks"):
        await fail()
    assert await facts.names(database) == []


async def test_few_works_in_reads_writes_and_snapshots(database: Database) -> None:
    """A read sees committed rows, a write also its own, and a snapshot those present when it began."""
    async with database.write() as tx:
        for name in ("one", "two", "three"):
            await facts.put(tx, name)
        assert await facts.few(tx, "two", "three", "nobody") == ["three", "two"]
    async with open_snapshot(database) as snapshot:
        async with database.write() as tx:
            await facts.put(tx, "four")
            assert await facts.few(tx, "four", "one") == ["four", "one"]
            async with database.read() as reader:
                assert await facts.few(reader, "four", "one") == ["one"]
        assert await facts.few(snapshot, "four", "one") == ["one"]
    async with database.read() as reader:
        assert await facts.few(reader, "four", "one") == ["four", "one"]
        assert await facts.few(reader) == []


async def test_application_errors_are_not_reported_as_storage_errors(database: Database) -> None:
    """An error raised inside a block, such as a full disk elsewhere or a timeout, reaches the caller unchanged."""

    async def fail_inside(block: AbstractAsyncContextManager[Tx], error: Exception) -> None:
        async with block as tx:
            await facts.find(tx, "anything")
            raise error

    for error in (OSError("no space left"), TimeoutError("too slow"), ConnectionResetError("gone")):
        for open_block in (database.write, database.read):
            with pytest.raises(type(error)) as raised:
                await fail_inside(open_block(), error)
            assert raised.value is error
    async with database.write() as tx:
        await facts.put(tx, "goes on")
    assert await facts.names(database) == ["goes on"]


async def test_uncommitted_changes_are_invisible(database: Database, address: str | Path) -> None:
    async with database.write() as tx:
        await facts.put(tx, "draft", "1")
        await facts.put(tx, "other", "1")
        async with database.read() as reader:
            assert await facts.find(reader, "draft") is None
        assert await facts.names(database) == []
        assert await facts.names_on_disk(address) == []
    assert await facts.names(database) == ["draft", "other"]
    async with database.write() as tx:
        await facts.change(tx, "draft", "2")
        async with database.read() as reader:
            assert await facts.find(reader, "draft") == "1"
            assert await facts.find(tx, "draft") == "2"


async def test_long_read_sees_later_commits(database: Database) -> None:
    async with database.read() as reader:
        assert await facts.find(reader, "late") is None
        async with database.write() as tx:
            await facts.put(tx, "late", "here")
        assert await facts.find(reader, "late") == "here"


async def test_read_transaction_cannot_write(database: Database) -> None:
    async with database.read() as tx:
        with pytest.raises(TypeError):
            await facts.put(tx, "x")
        with pytest.raises(TypeError):
            await tx.sweep(delete(installation))
        with pytest.raises(TypeError):
            tx.notify("topic", "payload")


async def test_writes_return_the_number_of_affected_rows(database: Database) -> None:
    async with database.write() as tx:
        for number in range(50):
            await facts.put(tx, f"{number:02}")
        assert await facts.change(tx, "07", "changed") == 1
        assert await facts.change(tx, "no such", "changed") == 0
        assert await tx.sweep(delete(installation).where(installation.c.name < "30")) == 30
        assert await tx.run(delete(installation).where(installation.c.name == "30")) == 1
    assert len(await facts.names(database)) == 19


async def test_failing_transactions_do_not_affect_others(database: Database) -> None:
    """Ninety at once: a third roll back, some violate a constraint, some are cancelled; the rest are stored."""
    async with database.write() as tx:
        await facts.put(tx, "taken")

    async def write(number: int) -> None:
        async with database.write() as tx:
            await facts.put(tx, f"{number:02}")
            if number % 3 == 0:
                raise Refused
            if number % 7 == 0:
                await facts.put(tx, "taken")
            if number % 11 == 0:
                raise asyncio.CancelledError

    results = await asyncio.gather(*(write(number) for number in range(90)), return_exceptions=True)
    stored = [number for number, result in enumerate(results) if result is None]
    assert stored == [number for number in range(90) if number % 3 and number % 7 and number % 11]
    assert await facts.names(database) == [*(f"{number:02}" for number in stored), "taken"]
    for number, result in enumerate(results):
        if number % 3 == 0:
            assert isinstance(result, Refused)
        elif number % 7 == 0:
            assert type(result).__name__ in ("IntegrityError", "UniqueViolationError")


async def test_cancelled_waiters_do_not_block_the_writer(database: Database) -> None:
    proceed = asyncio.Event()
    started: list[int] = []

    async def write(number: int) -> None:
        async with database.write() as tx:
            started.append(number)
            await facts.put(tx, f"{number:02}")
            await proceed.wait()

    tasks = [asyncio.create_task(write(number)) for number in range(30)]
    async with asyncio.timeout(60):
        while not started:
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
    cancelled = {number for number in range(30) if number % 2 == 0}
    for number in cancelled:
        tasks[number].cancel()
    proceed.set()
    async with asyncio.timeout(60):
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert {n for n, result in enumerate(results) if isinstance(result, asyncio.CancelledError)} == cancelled
        assert await facts.names(database) == [f"{number:02}" for number in range(30) if number not in cancelled]
        async with database.write() as tx:
            await facts.put(tx, "still works")


async def test_cancelled_block_frees_the_writer(database: Database) -> None:
    for _ in range(5):
        entered = asyncio.Event()

        async def stay(entered: asyncio.Event) -> None:
            async with database.write() as tx:
                await facts.put(tx, "unfinished")
                entered.set()
                await asyncio.Event().wait()

        task = asyncio.create_task(stay(entered))
        await asyncio.wait_for(entered.wait(), 60)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        async with asyncio.timeout(60), database.write() as tx:
            assert await facts.find(tx, "unfinished") is None


async def test_cancelling_at_any_moment_never_loses_an_acknowledged_write(
    database: Database, address: str | Path
) -> None:
    acknowledged: set[str] = set()

    async def write(name: str) -> None:
        async with database.write() as tx:
            await facts.put(tx, name)
            await tx.many(select(installation.c.name).limit(3))
            await tx.sweep(delete(installation).where(installation.c.name == "nobody"))
            await facts.put(tx, f"{name}, second half")
        acknowledged.add(name)

    for turn in range(60):
        tasks = [asyncio.create_task(write(f"{turn} {number}")) for number in range(4)]
        for _ in range(turn):
            await asyncio.sleep(0)
        if turn % 2:
            await asyncio.sleep(turn / 10_000)
        tasks[turn % 4].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    found = set(await facts.names_on_disk(address))
    complete = {name for name in found if not name.endswith("half")}
    assert acknowledged <= complete
    assert {f"{name}, second half" for name in complete} == found - complete
    assert len(acknowledged) >= 180


async def test_single_read_never_sees_half_a_transaction(database: Database) -> None:
    """Units move between two rows; a single statement always sees the same total."""
    async with database.write() as tx:
        await facts.put(tx, "left", "100")
        await facts.put(tx, "right", "0")
    done = asyncio.Event()

    async def move() -> None:
        for number in range(1, 40):
            async with database.write() as tx:
                await facts.change(tx, "left", str(100 - number))
                await asyncio.sleep(0)
                await facts.change(tx, "right", str(number))
        done.set()

    moving = asyncio.create_task(move())
    counts = set()
    while not done.is_set():
        async with database.read() as tx:
            rows = await tx.many(select(installation.c.name, installation.c.value))
            counts.add(sum(int(row["value"]) for row in rows))
        await asyncio.sleep(0)
    await moving
    assert counts == {100}


async def test_closing_right_after_opening_leaves_no_error(address: str | Path) -> None:
    """Every admin command does this; an exception that is never retrieved would be printed to stderr."""
    for number in range(60):
        database = await open_database(address, pool=2)
        await asyncio.sleep(number / 4_000)
        await database.close()
    gc.collect()
    await asyncio.sleep(0)


async def test_closing_waits_for_open_transactions(address: str | Path) -> None:
    database = await open_database(address)
    entered = asyncio.Event()

    async def write() -> None:
        async with database.write() as tx:
            entered.set()
            await asyncio.sleep(0.05)
            await facts.put(tx, "in time")

    task = asyncio.create_task(write())
    await entered.wait()
    await database.close()
    await task
    assert await facts.names_on_disk(address) == ["in time"]
