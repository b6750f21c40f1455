"""Vectors of items: kept compactly, each made from the item's text by a named model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, literal, select

from cairn.base.caller import Scope
from cairn.storage.database import Row, Tx
from cairn.storage.statements import Bulk, InList, Sql
from cairn.storage.tables import item_vectors, items, items_to_embed, vector_cache

_KEEP = Sql(
    lambda new: (made := new(item_vectors)).on_conflict_do_update(
        index_elements=["project_id", "item_id", "model"],
        set_={"vector": made.excluded.vector, "text_hash": made.excluded.text_hash},
    )
)
_of_project = and_(
    item_vectors.c.team_id == bindparam("scope"),
    item_vectors.c.project_id == bindparam("of_project"),
    item_vectors.c.model == bindparam("of_model"),
)
_PAGE = Sql(
    select(item_vectors.c.item_id, item_vectors.c.vector)
    .where(_of_project, item_vectors.c.item_id > bindparam("after"))
    .order_by(item_vectors.c.item_id)
    .limit(bindparam("take"))
)
_SOME = Sql(
    select(item_vectors.c.item_id, item_vectors.c.vector).where(_of_project, InList(item_vectors.c.item_id, "item_ids"))
)
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
_WANT_ALL = Sql(
    lambda new: (
        new(items_to_embed)
        .from_select(
            ["project_id", "item_id", "team_id"],
            select(items.c.project_id, items.c.id, items.c.team_id).where(
                # "true" also where nothing else is asked: without it SQLite takes ON CONFLICT for a join's condition
                literal(1) == 1
            ),
        )
        .on_conflict_do_nothing(index_elements=["project_id", "item_id"])
    )
)
_WANTED = Sql(
    select(items_to_embed).order_by(items_to_embed.c.project_id, items_to_embed.c.item_id).limit(bindparam("take"))
)
_DONE = Sql(
    delete(items_to_embed).where(
        items_to_embed.c.team_id == bindparam("scope"),
        items_to_embed.c.project_id == bindparam("of_project"),
        InList(items_to_embed.c.item_id, "item_ids"),
    )
)
_OTHERS = Sql(
    delete(item_vectors).where(
        item_vectors.c.team_id == bindparam("scope"),
        item_vectors.c.project_id == bindparam("of_project"),
        item_vectors.c.model != bindparam("of_model"),
        InList(item_vectors.c.item_id, "item_ids"),
    )
)


async def keep_vector(
    tx: Tx, scope: Scope, project_id: str, item_id: str, *, model: str, text_hash: str, vector: bytes
) -> None:
    await tx.run(
        _KEEP,
        project_id=project_id,
        item_id=item_id,
        model=model,
        team_id=scope,
        text_hash=text_hash,
        vector=vector,
    )


async def list_vectors(tx: Tx, scope: Scope, project_id: str, model: str, *, after: str, take: int) -> list[Row]:
    """In the order of the items' ids."""
    return await tx.many(_PAGE, scope=scope, of_project=project_id, of_model=model, after=after, take=take)


async def find_vectors(tx: Tx, scope: Scope, project_id: str, model: str, item_ids: Sequence[str]) -> dict[str, bytes]:
    rows = await tx.many(_SOME, scope=scope, of_project=project_id, of_model=model, item_ids=list(item_ids))
    return {row["item_id"]: row["vector"] for row in rows}


async def find_cached(tx: Tx, scope: Scope, project_id: str, model: str, hashes: Sequence[str]) -> dict[str, bytes]:
    """Vectors of texts this project has had embedded before."""
    rows = await tx.many(_CACHED, scope=scope, of_project=project_id, of_model=model, hashes=list(hashes))
    return {row["text_hash"]: row["vector"] for row in rows}


async def cache(tx: Tx, scope: Scope, project_id: str, model: str, vectors: Mapping[str, bytes]) -> None:
    if vectors:
        rows = [(project_id, model, text_hash, scope, vector) for text_hash, vector in vectors.items()]
        await tx.insert_new(_CACHE, rows)


async def want_all_vectors(tx: Tx) -> None:
    """Unscoped: another embedder is in use, for all teams."""
    await tx.sweep(_WANT_ALL)


async def list_wanted(tx: Tx, take: int) -> list[Row]:
    """Unscoped: upkeep of all teams."""
    return await tx.many(_WANTED, take=take)


async def forget_wanted(tx: Tx, scope: Scope, project_id: str, item_ids: Sequence[str]) -> None:
    await tx.run(_DONE, scope=scope, of_project=project_id, item_ids=list(item_ids))


async def delete_other_models(tx: Tx, scope: Scope, project_id: str, model: str, item_ids: Sequence[str]) -> None:
    """Vectors of models that are no longer in use."""
    await tx.sweep(_OTHERS, scope=scope, of_project=project_id, of_model=model, item_ids=list(item_ids))
