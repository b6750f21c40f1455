"""Who asks for many brains at once keeps no other team waiting, and leaves nothing behind when gone."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import delete, select

from loremark.base.caller import Scope
from loremark.base.errors import Refusal
from loremark.features.brain.asked import Asked
from loremark.features.brain.places import MOST_WAITING
from loremark.features.brain.service import Brains, Kept, Seen
from loremark.storage.tables import brains
from tests.features.test_brain import brain_of, keep
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

UNKNOWN = Seen(0, None, 0)


async def _never() -> None:
    await asyncio.Event().wait()


def _ask(
    kept: Brains, owner: Person, project: str, budget: int, gone: asyncio.Event | None = None
) -> asyncio.Task[Kept]:
    async def left() -> None:
        await (gone.wait() if gone else _never())

    return asyncio.create_task(kept.get(Scope(owner.team_id), Asked(project, budget), UNKNOWN, left))


async def _noted(service: Service) -> int:
    async with service.house.database.read() as tx:
        return len(await tx.many(select(brains.c.variant)))


async def test_a_team_that_asks_for_many_is_refused_and_others_are_served(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    project, others = await owner.create_project(), await other.create_project()
    await keep(service, owner, project, "Redis was chosen")
    kept = Brains(service.house.database)
    many = [_ask(kept, owner, project, 1_000 + number) for number in range(MOST_WAITING + 11)]
    await _ask(kept, other, others, 1_000)
    waiting = [task for task in many if not task.done()]
    assert len(waiting) > MOST_WAITING // 2, "the other team did not stand behind them"
    ends = await asyncio.gather(*many, return_exceptions=True)
    refused = [end for end in ends if isinstance(end, Refusal)]
    assert [(end.status, end.headers) for end in refused] == [(503, {"Retry-After": "2"})] * 10
    assert all(isinstance(end, Kept) for end in ends[: MOST_WAITING + 1])
    assert await _ask(kept, owner, project, 2_000), "there is room again"


async def test_what_nobody_waits_for_any_more_is_not_made(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    kept, gone = Brains(service.house.database), asyncio.Event()
    first = _ask(kept, owner, project, 1_000)
    left = [_ask(kept, owner, project, 1_001 + number, gone) for number in range(MOST_WAITING)]
    shared = _ask(kept, owner, project, 1_001)
    await asyncio.sleep(0)
    left.pop().cancel()
    gone.set()
    ends = await asyncio.gather(*left, return_exceptions=True)
    assert all(isinstance(end, Refusal) for end in ends)
    again = [_ask(kept, owner, project, 3_000 + number) for number in range(MOST_WAITING - 1)]
    assert all(await asyncio.gather(first, shared, *again)), "those who left gave their places in line back"
    assert await _noted(service) == 2 + len(again)
    await kept.close()


async def test_nothing_is_noted_of_a_project_that_has_gone_meanwhile(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await keep(service, owner, project, "Redis was chosen")
    assert (await brain_of(owner, project)).status_code == 200
    kept = Brains(service.house.database)
    known = await _ask(kept, owner, project, 1_000)
    version = known.assembled.version
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    async with service.house.database.write() as tx:
        await tx.sweep(delete(brains))
    with pytest.raises(Refusal, match="Project not found"):
        await kept.get(Scope(owner.team_id), Asked(project, 1_000), Seen(version, None, 0), _never)
    assert await _noted(service) == 0
