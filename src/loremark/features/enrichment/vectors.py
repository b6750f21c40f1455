"""Queries for the vector cache and the embedding queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import bindparam, delete, literal, select

from loremark.base.caller import Scope
from loremark.features.index.vectors import delete_other_models as delete_other_models
from loremark.features.index.vectors import find_vectors as find_vectors
from loremark.features.index.vectors import list_vectors as list_vectors
from loremark.features.index.vectors import upsert_vector as upsert_vector
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import items, items_to_embed, vector_cache

_CACHED = Sql(
    select(vector_cache.c.text_hash, vector_cache.c.vector).where(
        vector_cache.c.team_id == bindparam("scope"),
        vector_cache.c.project_id == bindparam("of_project"),
        vector_cache.c.model == bindparam("of_model"),
        InList(vector_cache.c.text_hash, "hashes"),
    )
)
_CACHE = Bulk(
    vector_cache,
    ("project_id", "model", "text_hash", "team_id", "vector"),
    ("project_id", "model", "text_hash"),
)
_QUEUE_ALL = Sql(
    lambda new: (
        new(items_to_embed)
        .from_select(
            ["project_id", "item_id", "team_id"],
            select(items.c.project_id, items.c.id, items.c.team_id).where(
                # SQLite needs a WHERE clause here, or it parses ON CONFLICT as a join condition.
                literal(1) == 1
            ),
        )
        .on_conflict_do_nothing(index_elements=["project_id", "item_id"])
    )
)
_QUEUED = Sql(
    select(items_to_embed).order_by(items_to_embed.c.project_id, items_to_embed.c.item_id).limit(bindparam("take"))
)
_ANY_QUEUED = Sql(
    select(items_to_embed.c.item_id)
    .where(items_to_embed.c.team_id == bindparam("scope"), items_to_embed.c.project_id == bindparam("of_project"))
    .limit(1)
)
_DEQUEUE = Sql(
    delete(items_to_embed).where(
        items_to_embed.c.team_id == bindparam("scope"),
        items_to_embed.c.project_id == bindparam("of_project"),
        InList(items_to_embed.c.item_id, "item_ids"),
    )
)


async def find_cached(tx: Tx, scope: Scope, project_id: str, model: str, hashes: Sequence[str]) -> dict[str, bytes]:
    """Return cached vectors by text hash."""
    rows = await tx.many(_CACHED, scope=scope, of_project=project_id, of_model=model, hashes=list(hashes))
    return {row["text_hash"]: row["vector"] for row in rows}


async def cache_vectors(tx: Tx, scope: Scope, project_id: str, model: str, vectors: Mapping[str, bytes]) -> None:
    if vectors:
        rows = [(project_id, model, text_hash, scope, vector) for text_hash, vector in vectors.items()]
        await tx.insert_new(_CACHE, rows)


async def queue_all_items(tx: Tx) -> None:
    """Queue every item for embedding. Unscoped: the embedder has changed for all teams."""
    await tx.sweep(_QUEUE_ALL)


async def list_queued(tx: Tx, take: int) -> list[Row]:
    """List queued items. Unscoped: maintenance across teams."""
    return await tx.many(_QUEUED, take=take)


async def dequeue(tx: Tx, scope: Scope, project_id: str, item_ids: Sequence[str]) -> None:
    await tx.run(_DEQUEUE, scope=scope, of_project=project_id, item_ids=list(item_ids))


async def has_queued(tx: Tx, scope: Scope, project_id: str) -> bool:
    """Return whether any item of the project is queued."""
    return await tx.one(_ANY_QUEUED, scope=scope, of_project=project_id) is not None
