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
from tests.features.test_brain import brain_of, create_approved_item
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

UNKNOWN = CurrentBrain(0, None, 0)


async def _never() -> None:
    await asyncio.Event().wait()


def _request(
    cache: BrainCache, owner: Person, project: str, budget: int, disconnected: asyncio.Event | None = None
) -> asyncio.Task[CachedBrain]:
    async def wait_for_disconnect() -> None:
        await (disconnected.wait() if disconnected else _never())

    return asyncio.create_task(
        cache.get(Scope(owner.team_id), BrainRequest(project, budget), UNKNOWN, wait_for_disconnect)
    )


async def _count_stored(service: Service) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(brains.c.variant)))


async def test_busy_team_is_rejected_while_others_are_served(service: Service) -> None:
    owner, other = await service.owner(), await service.owner("Others")
    project, other_project = await owner.create_project(), await other.create_project()
    for number in range(5):  # enough work that the other team is served in between on a busy machine too
        await create_approved_item(service, owner, project, f"Redis was chosen {number}", content="So it stays. " * 400)
    cache = BrainCache(service.runtime.database)
    requests = [_request(cache, owner, project, 1_000 + number) for number in range(MAX_WAITING + 11)]
    await _request(cache, other, other_project, 1_000)
    assert any(not task.done() for task in requests), "the other team did not wait for all of them"
    results = await asyncio.gather(*requests, return_exceptions=True)
    refused = [result for result in results if isinstance(result, Refusal)]
    assert [(result.status, result.headers) for result in refused] == [(503, {"Retry-After": "2"})] * 10
    assert all(isinstance(result, CachedBrain) for result in results[: MAX_WAITING + 1])
    assert await _request(cache, owner, project, 2_000), "slots are available again"


@pytest.mark.own_service
async def test_abandoned_requests_are_not_assembled(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    cache, disconnected = BrainCache(service.runtime.database), asyncio.Event()
    first = _request(cache, owner, project, 1_000)
    abandoned = [_request(cache, owner, project, 1_001 + number, disconnected) for number in range(MAX_WAITING)]
    shared = _request(cache, owner, project, 1_001)
    await asyncio.sleep(0)
    abandoned.pop().cancel()
    disconnected.set()
    results = await asyncio.gather(*abandoned, return_exceptions=True)
    assert all(isinstance(result, Refusal) for result in results)
    more = [_request(cache, owner, project, 3_000 + number) for number in range(MAX_WAITING - 1)]
    assert all(await asyncio.gather(first, shared, *more)), "abandoned requests release their slots"
    assert await _count_stored(service) == 2 + len(more)
    await cache.close()


async def test_nothing_is_recorded_for_a_deleted_project(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    await create_approved_item(service, owner, project, "Redis was chosen")
    assert (await brain_of(owner, project)).status_code == 200
    cache = BrainCache(service.runtime.database)
    cached = await _request(cache, owner, project, 1_000)
    version = cached.assembled.version
    assert (await owner.delete(f"/api/projects/{project}")).status_code == 204
    async with service.runtime.database.write() as tx:
        await tx.sweep(delete(brains))
    with pytest.raises(Refusal, match="Project not found"):
        await cache.get(Scope(owner.team_id), BrainRequest(project, 1_000), CurrentBrain(version, None, 0), _never)
    assert await _count_stored(service) == 0
