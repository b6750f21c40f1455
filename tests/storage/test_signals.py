"""Signals: delivered after the commit, in order, to every process; never for a rolled-back change."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import asyncpg
import pytest

from loremark.storage.connect import open_database
from loremark.storage.database import Database, StorageUnavailable
from loremark.storage.signals import Listener, Signals
from tests.storage import facts
from tests.support import databases

pytestmark = pytest.mark.anyio


async def _until_connected(sender: Database, listener: Listener) -> None:
    """PostgreSQL connects its listener in the background; wait until it receives signals."""
    async with asyncio.timeout(60):
        while True:
            async with sender.write() as tx:
                tx.notify("ping", "")
            if await listener.next(timeout=0.1):
                break
        while await listener.next(timeout=0.1):
            pass


async def test_signal_arrives_once_its_change_is_visible(database: Database) -> None:
    with database.signals.listen("ping", "new") as listener:
        await _until_connected(database, listener)
        for number in range(10):
            async with database.write() as tx:
                tx.notify("new", str(number))
                await facts.put(tx, str(number))
                assert await listener.next(timeout=0.01) is None, "delivered before the commit"
            assert await listener.next(timeout=60) == ("new", str(number))
            async with database.read() as reader:
                assert await facts.find(reader, str(number)) == ""


async def test_rolled_back_change_sends_no_signal(database: Database) -> None:
    with database.signals.listen("ping", "new") as listener:
        await _until_connected(database, listener)
        with suppress(LookupError):
            async with database.write() as tx:
                tx.notify("new", "never")
                raise LookupError
        async with database.write() as tx:
            tx.notify("new", "first")
            tx.notify("new", "second, with blanks")
        assert [await listener.next(timeout=60), await listener.next(timeout=60)] == [
            ("new", "first"),
            ("new", "second, with blanks"),
        ]
        assert await listener.next(timeout=0.05) is None


async def test_postgresql_signals_reach_every_process() -> None:
    address = databases.fresh_postgres()
    one, other = await open_database(address), await open_database(address)
    try:
        with one.signals.listen("ping", "new") as local, other.signals.listen("ping", "new") as remote:
            await _until_connected(one, local)
            await _until_connected(one, remote)
            while await local.next(timeout=0.1):
                pass
            with suppress(LookupError):
                async with one.write() as tx:
                    tx.notify("new", "taken back")
                    raise LookupError
            for number in range(5):
                async with (one if number % 2 else other).write() as tx:
                    tx.notify("new", str(number))
            for listener in (local, remote):
                assert [await listener.next(timeout=60) for _ in range(5)] == [("new", str(n)) for n in range(5)]
                assert await listener.next(timeout=0.05) is None
    finally:
        await one.close()
        await other.close()


async def test_lost_connection_fails_once_and_recovers() -> None:
    """All connections are terminated: work in progress fails, the next write works, and signals resume."""
    address = databases.fresh_postgres()
    database = await open_database(address)
    try:
        with database.signals.listen("ping") as listener:
            await _until_connected(database, listener)
            async with database.write() as tx:
                await facts.put(tx, "before")
            await _end_connections(address)
            async with asyncio.timeout(60):
                while True:
                    try:
                        async with database.write() as tx:
                            await facts.put(tx, "after")
                        break
                    except StorageUnavailable:
                        continue
            assert await facts.names(database) == ["after", "before"]
            await _until_connected(database, listener)
    finally:
        await database.close()


async def _end_connections(address: str) -> None:
    connection = await asyncpg.connect(address)
    try:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    finally:
        await connection.close()


async def test_listener_receives_only_its_topics_and_drops_the_oldest() -> None:
    signals = Signals()
    with signals.listen("a", "b") as listener:
        for number in range(1_005):
            signals.publish("a", str(number))
        signals.publish("c", "not ours")
        signals.publish("b", "last")
        received = []
        while (signal := await listener.next(timeout=0.01)) is not None:
            received.append(signal)
    assert len(received) == 1_000
    assert received[0] == ("a", "6")
    assert received[-1] == ("b", "last")
    signals.publish("a", "after the block")
    assert await listener.next(timeout=0.01) is None
