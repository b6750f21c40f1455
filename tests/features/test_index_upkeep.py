"""Index maintenance deletes obsolete rows, and readers that lag behind notice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.base.clock import HOUR_MS
from loremark.entry import background
from loremark.features.enrichment import vectors as cache
from loremark.features.identity import store as people
from loremark.features.index import jobs as upkeep
from loremark.features.index import store as index
from loremark.features.index.cache import IndexCache
from loremark.features.index.jobs import Upkeep
from loremark.features.search.item_index import ItemIndex
from loremark.jobs import lanes, queue
from loremark.jobs.run import Run
from loremark.storage.database import Row
from loremark.storage.tables import item_index, items_to_embed, vector_cache
from tests.contract.examples_memory import keep_item
from tests.features.recurring_jobs import run_once_more, wait_for_runs
from tests.features.steps import insert_rows
from tests.support.people import Person
from tests.support.service import Service

pytestmark = [pytest.mark.anyio, pytest.mark.own_service]  # the fixture changes settings read at startup

MEGABYTE = 1024 * 1024
MANUAL = "upkeep by hand"


@pytest.fixture(autouse=True)
def _lower_thresholds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upkeep, "_KEPT_VERSIONS", 5)
    monkeypatch.setattr(upkeep, "_VERSIONS_AT_ONCE", 3)
    monkeypatch.setattr(upkeep, "_ROWS_AT_ONCE", 2)
    monkeypatch.setattr(upkeep, "_PROJECTS_AT_ONCE", 1)
    monkeypatch.setattr(background, "_EMBED_EVERY_MS", HOUR_MS)  # no re-embedding during a test


async def _run_upkeep(service: Service, model: str = "") -> None:
    """Run the job once, as the runner does."""
    database = service.runtime.database
    async with database.write() as tx:
        await queue.enqueue(tx, MANUAL, {})
        job = await queue.claim(tx, lanes.lane_of(None, MANUAL), "a test", 60_000)
    assert job is not None
    await Upkeep(database, model or service.runtime.engines.embedder.name)(Run(database, job))
    async with database.write() as tx:
        assert await queue.complete(tx, job)


async def _delete(owner: Person, *item_ids: str) -> None:
    for item_id in item_ids:
        assert (await owner.delete(f"/api/v2/items/{item_id}")).status_code in (200, 204)


async def _change(owner: Person, item_id: str, times: int) -> None:
    for number in range(times):
        changed = await owner.patch(f"/api/v2/items/{item_id}", {"title": f"Another title {number}"})
        assert changed.status_code == 200, changed.text


async def _index_rows(service: Service, project: str) -> dict[str, str]:
    async with service.runtime.database.read() as tx:
        rows = await tx.many(select(item_index).where(item_index.c.project_id == project))
    return {row["item_id"]: row["status"] for row in rows if row["item_id"] != index.PRUNED}


class _Process:
    """Another process with its own index."""

    def __init__(self, service: Service, owner: Person, project: str) -> None:
        self._indexes = IndexCache(service.runtime.database, service.runtime.engines.embedders, ItemIndex(), MEGABYTE)
        self._scope = Scope(owner.team_id)
        self._project = project

    async def item_ids(self) -> set[str]:
        index_now = await self._indexes.get(self._scope, self._project)
        assert index_now is not None
        return {index_now.corpus.item_id(row) for row in index_now.corpus.layout.order}


async def test_old_deleted_rows_are_pruned_and_readers_notice(service: Service) -> None:
    owner = await service.owner()
    project, quiet = await owner.create_project(), await owner.create_project("Quiet")
    deleted = [await keep_item(service, owner, project, title=f"Gone {number}") for number in range(7)]
    remaining = await keep_item(service, owner, project, title="Left")
    small = [await keep_item(service, owner, quiet, title=f"Small {number}") for number in range(2)]
    lagging, current = _Process(service, owner, project), _Process(service, owner, project)
    assert await lagging.item_ids() == await current.item_ids() == {*deleted, remaining}

    await _delete(owner, *deleted)
    await _delete(owner, small[0])
    await _change(owner, remaining, 6)
    assert await current.item_ids() == {remaining}
    late = await keep_item(service, owner, project, title="Late")
    await _delete(owner, late)
    await _run_upkeep(service)
    assert await _index_rows(service, project) == {remaining: "draft", late: "gone"}, "the last deletion is remembered"
    assert await _index_rows(service, quiet) == {small[0]: "gone", small[1]: "draft"}

    assert await lagging.item_ids() == {remaining}, "it missed the deletions and has to reload"
    assert await current.item_ids() == {remaining}
    assert await _Process(service, owner, project).item_ids() == {remaining}
    await _change(owner, remaining, 12)
    await _run_upkeep(service)
    assert await _index_rows(service, project) == {remaining: "draft"}
    again = await keep_item(service, owner, project, title="Again")
    for process in (lagging, current):
        assert await process.item_ids() == {remaining, again}


async def _wait_for_vectors(service: Service, project: str) -> None:
    """The first vector of an index changes its width, so everything is read again."""
    queued = select(items_to_embed.c.item_id).where(items_to_embed.c.project_id == project)
    async with asyncio.timeout(30):
        waiting = True
        while waiting:
            await asyncio.sleep(0.02)
            async with service.runtime.database.read() as tx:
                waiting = bool(await tx.many(queued))


async def test_up_to_date_reader_does_not_reload(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    deleted = await keep_item(service, owner, project, title="Gone")
    remaining = await keep_item(service, owner, project, title="Left")
    current = _Process(service, owner, project)
    await _delete(owner, deleted)
    await _change(owner, remaining, 12)
    assert await current.item_ids() == {remaining}
    await _run_upkeep(service)
    assert await _index_rows(service, project) == {remaining: "draft"}
    await _wait_for_vectors(service, project)
    assert await current.item_ids() == {remaining}
    await _change(owner, remaining, 1)

    async def reload(*_: Any, **__: Any) -> list[Row]:
        raise AssertionError("it had only one change to read")

    monkeypatch.setattr(index, "list_entries", reload)
    assert await current.item_ids() == {remaining}


async def test_recreated_entry_is_not_pruned(service: Service) -> None:
    """Between the query and the deletion, the row no longer belongs to a deleted item."""
    owner = await service.owner()
    project, scope = await owner.create_project(), Scope(owner.team_id)
    item_id = await keep_item(service, owner, project, title="Back again")
    async with service.runtime.database.write() as tx:
        row = await tx.one(select(item_index).where(item_index.c.item_id == item_id))
        assert row is not None
        await index.delete_entry(tx, scope, project, item_id)
        deleted_version = await index.find_version(tx, scope, project)
        assert deleted_version is not None
        await index.upsert_entry(tx, scope, project, index.to_entry(row))
        await index.prune_deleted(tx, scope, project, [item_id], deleted_version)
    assert await _index_rows(service, project) == {item_id: "draft"}


async def _cache(service: Service, owner: Person, project: str, *models: str) -> None:
    for model in models:
        cached = {f"hash {number}": f"{model} {number}".encode() for number in range(5)}
        async with service.runtime.database.write() as tx:
            await cache.cache_vectors(tx, Scope(owner.team_id), project, model, cached)


async def _cached(service: Service, project: str) -> dict[str, int]:
    async with service.runtime.database.read() as tx:
        rows = await tx.many(select(vector_cache.c.model).where(vector_cache.c.project_id == project))
    models = [row["model"] for row in rows]
    return {model: models.count(model) for model in models}


async def test_vectors_of_earlier_embedders_are_deleted_after_the_switch(service: Service) -> None:
    model = service.runtime.engines.embedder.name
    owner = await service.owner()
    done, waiting, clean = [await owner.create_project(name) for name in ("Done", "Waiting", "Clean")]
    await wait_for_runs(service, "enrichment.reembed")
    await wait_for_runs(service, "index.upkeep")
    for project in (done, waiting):
        await _cache(service, owner, project, "a model before", model, "with another", "x model behind")
    await _cache(service, owner, clean, model)
    row = {"project_id": waiting, "item_id": "itm_waits", "team_id": owner.team_id}
    await insert_rows(service, items_to_embed, [row])
    before = await _cached(service, waiting)
    assert sorted(before.values()) == [5, 5, 5, 5]

    await _run_upkeep(service, "a model of a process that is about to end")
    assert await _cached(service, done) == before, "only the model in use deletes other vectors"
    await _run_upkeep(service)
    assert await _cached(service, done) == await _cached(service, clean) == {model: 5}
    assert await _cached(service, waiting) == before, "nothing is deleted before the switch is complete"
    async with service.runtime.database.write() as tx:
        await tx.run(items_to_embed.delete().where(items_to_embed.c.project_id == waiting))
    await _run_upkeep(service)
    assert await _cached(service, waiting) == {model: 5}


async def test_upkeep_runs_on_schedule(service: Service) -> None:
    model = service.runtime.engines.embedder.name
    owner = await service.owner()
    project = await owner.create_project()
    await wait_for_runs(service, "enrichment.reembed")
    await wait_for_runs(service, "index.upkeep")
    async with service.runtime.database.read() as tx:
        assert await people.find_claim(tx, "embedder") == model
    await _cache(service, owner, project, "an earlier model", model)
    await run_once_more(service, "index.upkeep")
    assert await _cached(service, project) == {model: 5}
