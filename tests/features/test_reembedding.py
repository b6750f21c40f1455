"""Re-embedding does not lose edits made while the embedder is running."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from sqlalchemy import select, update

from loremark.base.caller import Scope
from loremark.features.enrichment.jobs import Reembed
from loremark.features.enrichment.records import text_hash
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.features.items.store import queue_embedding
from loremark.ports.embeddings.embedder import Embedder, EmbeddingResult
from loremark.storage.tables import item_vectors, items_to_embed
from loremark.storage.tables import items as items_table
from tests.contract.examples_memory import keep_item
from tests.support.service import Service

pytestmark = pytest.mark.anyio


class SlowEmbedder:
    """A real embedder that runs a callback before its first result."""

    def __init__(self, embedder: Embedder, callback: Callable[[], Awaitable[None]]) -> None:
        self._embedder = embedder
        self.callback: Callable[[], Awaitable[None]] | None = callback
        self.name, self.dimensions = embedder.name, embedder.dimensions

    async def embed(self, texts: Sequence[str]) -> EmbeddingResult:
        result = await self._embedder.embed(texts)
        callback, self.callback = self.callback, None
        if callback is not None:
            await callback()
        return result

    async def close(self) -> None:
        await self._embedder.close()


async def test_item_edited_during_embedding_gets_the_vector_of_its_new_text(service: Service) -> None:
    owner = await service.owner()
    item_id = await keep_item(service, owner, await owner.create_project())

    async def edit(content: str) -> None:
        assert (await owner.patch(f"/api/v2/items/{item_id}", {"content": content})).status_code == 200

    embedder = SlowEmbedder(
        service.runtime.engines.embedder, lambda: edit("Sessions are kept in Postgres since the move.")
    )
    attempt = 0
    while embedder.callback is not None:  # the service's own job may have been faster
        await edit(f"Sessions are kept in Redis, for {(attempt := attempt + 1)} hours.")
        await Reembed(service.runtime.database, embedder)(None)  # type: ignore[arg-type]
    async with service.runtime.database.read() as tx:
        (row,) = await items.list_by_ids(tx, Scope(owner.team_id), [item_id])
        vectors = await tx.many(select(item_vectors.c.text_hash).where(item_vectors.c.item_id == item_id))
        assert await tx.many(select(items_to_embed)) == []
    assert row["content"] == "Sessions are kept in Postgres since the move."
    assert [each["text_hash"] for each in vectors] == [text_hash(records.item_text(records.to_item(row)))]


@pytest.mark.both_engines
async def test_item_edited_while_vectors_are_stored_is_embedded_again(service: Service) -> None:
    owner = await service.owner()
    project_id = await owner.create_project()
    item_id = await keep_item(service, owner, project_id)
    scope = Scope(owner.team_id)
    reembed = Reembed(service.runtime.database, service.runtime.engines.embedder)
    async with service.runtime.database.write() as tx:
        await queue_embedding(tx, scope, project_id, item_id)
    async with service.runtime.database.write() as tx:  # an edit that commits only after the job has read the text
        await tx.run(update(items_table).where(items_table.c.id == item_id).values(content="Sessions are in Postgres."))
        await queue_embedding(tx, scope, project_id, item_id)
        job = asyncio.create_task(reembed(None))  # type: ignore[arg-type]
        await asyncio.sleep(0.5)
    await job
    await reembed(None)  # type: ignore[arg-type]
    async with service.runtime.database.read() as tx:
        (row,) = await items.list_by_ids(tx, scope, [item_id])
        vectors = await tx.many(select(item_vectors.c.text_hash).where(item_vectors.c.item_id == item_id))
    assert row["content"] == "Sessions are in Postgres."
    assert [each["text_hash"] for each in vectors] == [text_hash(records.item_text(records.to_item(row)))]


@pytest.mark.both_engines
async def test_vectors_are_stored_after_a_change_of_several_items(service: Service) -> None:
    """Locks taken one by one and in another order would end in a deadlock."""
    if service.runtime.database.engine.name != "postgresql":
        pytest.skip("one writer at a time")
    owner = await service.owner()
    project_id, scope = await owner.create_project(), Scope(owner.team_id)
    item_ids = sorted([await keep_item(service, owner, project_id, content=f"Port {port}.") for port in (8123, 9123)])
    async with service.runtime.database.write() as tx:
        for item_id in item_ids:
            await queue_embedding(tx, scope, project_id, item_id)
    has_vectors = asyncio.Event()

    async def tell() -> None:
        has_vectors.set()

    embedder = SlowEmbedder(service.runtime.engines.embedder, tell)
    async with service.runtime.database.write() as tx, asyncio.timeout(60):
        await items.lock_memory(tx, scope, project_id)
        await items.lock_item(tx, scope, item_ids[1])
        job = asyncio.create_task(Reembed(service.runtime.database, embedder)(None))  # type: ignore[arg-type]
        stored = asyncio.create_task(has_vectors.wait())
        await asyncio.wait({job, stored}, return_when=asyncio.FIRST_COMPLETED)  # the service's job may be faster
        await asyncio.sleep(0.5)
        assert await items.lock_item(tx, scope, item_ids[0])
    await job
