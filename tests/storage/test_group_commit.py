"""Group commit across requests: each gets its own result, after the commit, and nobody pays for another."""

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


class Desk:
    """Work that writes each item down as a fact; some words make it fail."""

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


async def test_each_gets_its_own_result_after_the_commit(database: Database, address: str | Path) -> None:
    desk = Desk()
    grouped = GroupCommit(database, desk, max_group=7)

    async def submit(number: int) -> bool:
        name = f"item {number:03d}"
        assert await grouped.submit(name) == name.upper()
        return name in await facts.names_on_disk(address)

    assert await asyncio.gather(*map(submit, range(40))) == [True] * 40
    assert len(desk.groups) < 40, "they went together"
    assert max(map(len, desk.groups)) == 7
    assert [item for group in desk.groups for item in group] == [f"item {number:03d}" for number in range(40)]
    assert await grouped.submit("later") == "LATER"


async def test_a_poisoned_item_harms_only_itself(database: Database) -> None:
    grouped = GroupCommit(database, Desk())
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


async def test_when_the_database_is_away_all_of_the_group_hear_it(database: Database) -> None:
    desk = Desk()
    grouped = GroupCommit(database, desk)
    desk.down = True
    results = await asyncio.gather(*(grouped.submit(f"item {n}") for n in range(10)), return_exceptions=True)
    assert [type(each) for each in results] == [StorageUnavailable] * 10
    assert len(desk.groups) == 1, "it is not tried again for each"
    assert await facts.names(database) == []
    desk.down = False
    assert await grouped.submit("item 0") == "ITEM 0"
    assert await facts.names(database) == ["item 0"]


async def test_a_flood_of_one_side_makes_no_other_wait(database: Database) -> None:
    """Five of a quiet side, behind five hundred of a loud one, are in the next groups, and those are short."""
    desk = Desk()
    grouped = GroupCommit(database, desk, max_group=10)
    loud = [asyncio.create_task(grouped.submit(f"loud {n:03d}", "loud")) for n in range(500)]
    await asyncio.sleep(0)
    quiet = [asyncio.create_task(grouped.submit(f"quiet {n}", "quiet")) for n in range(5)]
    await asyncio.gather(*quiet)
    begun = desk.groups[1:]
    assert [item for group in begun[:3] for item in group if item.startswith("quiet")] == [
        f"quiet {n}" for n in range(5)
    ]
    assert max(map(len, begun)) <= 4
    await asyncio.gather(*loud)
    order = [item for group in desk.groups for item in group if item.startswith("loud")]
    assert order == sorted(order)


async def test_groups_and_lines_are_bounded_in_bytes(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_commit, "_MOST_BYTES", 100)
    monkeypatch.setattr(group_commit, "_MOST_WAITING_BYTES", 1_000)
    desk = Desk()
    grouped = GroupCommit(database, desk)
    tasks = [asyncio.create_task(grouped.submit(f"item {n:02d}", size=60)) for n in range(30)]
    results = await asyncio.gather(*tasks, return_exceptions=True)
    refused = [result for result in results if isinstance(result, StorageUnavailable)]
    assert [len(group) for group in desk.groups] == [2] * 8
    assert len(refused) == 14
    assert await grouped.submit("later", size=900) == "LATER"  # nothing is left of what was counted


async def test_a_wrong_number_of_results_is_an_error_for_everybody(database: Database) -> None:
    async def careless(tx: Tx, items: Sequence[str]) -> Sequence[str]:
        return ["one too many", *items]

    grouped = GroupCommit(database, careless)
    async with asyncio.timeout(60):
        results = await asyncio.gather(*(grouped.submit(f"item {n}") for n in range(3)), return_exceptions=True)
    assert [type(result) for result in results] == [RuntimeError] * 3


async def test_who_goes_away_disturbs_nobody(database: Database) -> None:
    """Cancelled while waiting or while being written: the others get their results, and the next ones too."""
    desk = Desk()
    grouped = GroupCommit(database, desk, max_group=5)
    async with database.write() as tx:  # the first group waits behind this
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
