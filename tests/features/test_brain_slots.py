"""A team that requests many brains at once does not block others, and disconnects clean up."""

from __future__ import annotations

import asyncio

import pytest
from sqlalchemy import delete, select

from loremark.base.caller import Scope
from loremark.base.errors import Refusal
from loremark.features.brain.request import BrainRequest
from loremark.features.brain.service import BrainCache, CachedBrain, CurrentBrain
from loremark.features.brain.team_slots import MAX_WAITING
from loremark.storage.tables import brains
from tests.features.test_brain import brain_of, keep
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

UNKNOWN = CurrentBrain(0, None, 0)


async def _never() -> None:
    await asyncio.Event().wait()


def _ask(
    kept: BrainCache, owner: Person, project: str, budget: int, gone: asyncio.Event | None = None
) -> asyncio.Task[CachedBrain]:
    async def left() -> None:
        await (gone.wait() if gone else _never())

    return asyncio.create_task(kept.get(Scope(owner.team_id), BrainRequest(project, budget), UNKNOWN, left))


async def _noted(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(brains.c.variant)))


async def test_busy_team_is_rejected_while_others_are_served(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    project, others = await owner.create_project(), await other.create_project()
    await keep(service, owner, project, "Redis was chosen")
    kept = BrainCache(service.runtime.database)
    many = [_ask(kept, owner, project, 1_000 + number) for number in range(MAX_WAITING + 11)]
    await _ask(kept, other, others, 1_000)
    waiting = [task for task in many if not task.done()]
    assert len(waiting) > MAX_WAITING // 2, "the other team did not stand behind them"
    ends = await asyncio.gather(*many, return_exceptions=True)
    refused = [end for end in ends if isinstance(end, Refusal)]
    assert [(end.status, end.headers) for end in refused] == [(503, {"Retry-After": "2"})] * 10
    assert all(isinstance(end, CachedBrain) for end in ends[: MAX_WAITING + 1])
    assert await _ask(kept, owner, project, 2_000), "there is room again"


@pytest.mark.own_service
async def test_abandoned_requests_are_not_assembled(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    kept, gone = BrainCache(service.runtime.database), asyncio.Event()
    first = _ask(kept, owner, project, 1_000)
    left = [_ask(kept, owner, project, 1_001 + number, gone) for number in range(MAX_WAITING)]
    shared = _ask(kept, owner, project, 1_001)
    await asyncio.sleep(0)
    left.pop().cancel()
    gone.set()
    ends = await asyncio.gather(*left, return_exceptions=True)
    assert all(isinstance(end, Refusal) for end in ends)
    again = [_ask(kept, owner, project, 3_000 + number) for number in range(MAX_WAITING - 1)]
    assert all(await asyncio.gather(first, shared, *again)), "those who left gave their places in line back"
    assert await _noted(service) == 2 + len(again)
    await kept.close()


async def test_nothing_is_recorded_for_a_deleted_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await keep(service, owner, project, "Redis was chosen")
    assert (await brain_of(owner, project)).status_code == 200
    kept = BrainCache(service.runtime.database)
    known = await _ask(kept, owner, project, 1_000)
    version = known.assembled.version
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    async with service.runtime.database.write() as tx:
        await tx.sweep(delete(brains))
    with pytest.raises(Refusal, match="Project not found"):
        await kept.get(Scope(owner.team_id), BrainRequest(project, 1_000), CurrentBrain(version, None, 0), _never)
    assert await _noted(service) == 0
