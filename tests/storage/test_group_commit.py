"""Group commit: each request gets its own result after the commit, and failures stay isolated."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from loremark.storage import group_commit
from loremark.storage.database import Database, StorageUnavailable, Tx
from loremark.storage.group_commit import GroupCommit
from tests.storage import facts

pytestmark = pytest.mark.anyio


class RowWriter:
    """Writes each item as a row; fails on items that contain ``poison``, or while ``down``."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.down = False

    async def __call__(self, tx: Tx, items: Sequence[str]) -> Sequence[str]:
        self.groups.append(list(items))
        for item in items:
            await facts.put(tx, item)
            if "poison" in item:
                raise ValueError(item)
        if self.down:
            raise StorageUnavailable("down")
        return [item.upper() for item in items]


async def test_each_request_gets_its_own_result_after_the_commit(database: Database, address: str | Path) -> None:
    writer = RowWriter()
    grouped = GroupCommit(database, writer, max_group=7)

    async def submit(number: int) -> bool:
        name = f"item {number:03d}"
        assert await grouped.submit(name) == name.upper()
        return name in await facts.names_on_disk(address)

    assert await asyncio.gather(*map(submit, range(40))) == [True] * 40
    assert len(writer.groups) < 40, "they were grouped"
    assert max(map(len, writer.groups)) == 7
    assert [item for group in writer.groups for item in group] == [f"item {number:03d}" for number in range(40)]
    assert await grouped.submit("later") == "LATER"


async def test_poisoned_item_fails_alone(database: Database) -> None:
    grouped = GroupCommit(database, RowWriter())
    items = [f"item {number}" if number % 10 else f"poison {number}" for number in range(30)]
    results = await asyncio.gather(*map(grouped.submit, items), return_exceptions=True)
    for item, result in zip(items, results, strict=True):
        if "poison" in item:
            assert isinstance(result, ValueError)
            assert str(result) == item
        else:
            assert result == item.upper()
    assert await facts.names(database) == sorted(item for item in items if "poison" not in item)
    assert await grouped.submit("later") == "LATER"


async def test_unavailable_database_fails_the_whole_group(database: Database) -> None:
    writer = RowWriter()
    grouped = GroupCommit(database, writer)
    writer.down = True
    results = await asyncio.gather(*(grouped.submit(f"item {n}") for n in range(10)), return_exceptions=True)
    assert [type(each) for each in results] == [StorageUnavailable] * 10
    assert len(writer.groups) == 1, "items are not retried one by one"
    assert await facts.names(database) == []
    writer.down = False
    assert await grouped.submit("item 0") == "ITEM 0"
    assert await facts.names(database) == ["item 0"]


async def test_flood_from_one_source_does_not_delay_another(database: Database) -> None:
    """Five quiet items behind five hundred loud ones are in the next groups, and those groups are small."""
    writer = RowWriter()
    grouped = GroupCommit(database, writer, max_group=10)
    loud = [asyncio.create_task(grouped.submit(f"loud {n:03d}", "loud")) for n in range(500)]
    await asyncio.sleep(0)
    quiet = [asyncio.create_task(grouped.submit(f"quiet {n}", "quiet")) for n in range(5)]
    await asyncio.gather(*quiet)
    later_groups = writer.groups[1:]
    assert [item for group in later_groups[:3] for item in group if item.startswith("quiet")] == [
        f"quiet {n}" for n in range(5)
    ]
    assert max(map(len, later_groups)) <= 4
    await asyncio.gather(*loud)
    order = [item for group in writer.groups for item in group if item.startswith("loud")]
    assert order == sorted(order)


async def test_groups_and_queues_are_bounded_in_bytes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "_MOST_BYTES", 100)
    monkeypatch.setattr(group_commit, "_MOST_WAITING_BYTES", 1_000)
    writer = RowWriter()
    grouped = GroupCommit(database, writer)
    tasks = [asyncio.create_task(grouped.submit(f"item {n:02d}", size=60)) for n in range(30)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    refused = [result for result in results if isinstance(result, StorageUnavailable)]
    assert [len(group) for group in writer.groups] == [2] * 8
    assert len(refused) == 14
    assert await grouped.submit("later", size=900) == "LATER"  # the byte count is back to zero


async def test_wrong_number_of_results_fails_the_whole_group(database: Database) -> None:
    async def careless(tx: Tx, items: Sequence[str]) -> Sequence[str]:
        return ["one too many", *items]

    grouped = GroupCommit(database, careless)
    async with asyncio.timeout(60):
        results = await asyncio.gather(*(grouped.submit(f"item {n}") for n in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [RuntimeError] * 3


async def test_cancelled_requests_do_not_affect_others(database: Database) -> None:
    """Cancelled while waiting or being written: the other requests still get their results, as do later ones."""
    writer = RowWriter()
    grouped = GroupCommit(database, writer, max_group=5)
    async with database.write() as tx:  # blocks the first group
        await tx.lock("anything")
        tasks = [asyncio.create_task(grouped.submit(f"item {n:02d}")) for n in range(20)]
        for _ in range(5):
            await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
    async with asyncio.timeout(60):
        results = await asyncio.gather(*tasks, return_exceptions=True)
    for number, result in enumerate(results):
        if number % 2:
            assert result == f"ITEM {number:02d}"
        else:
            assert isinstance(result, asyncio.CancelledError)
    found = await facts.names(database)
    assert {f"item {number:02d}" for number in range(1, 20, 2)} <= set(found)
    assert len(found) == len(set(found))
    assert await grouped.submit("later") == "LATER"
