"""Queries for item vectors, stored in a compact format per embedding model."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select, tuple_

from loremark.base.caller import Scope
from loremark.features.index import store
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import item_vectors, items_to_embed, projects, vector_cache

_UPSERT = Sql(
    lambda new: (insert := new(item_vectors)).on_conflict_do_update(
        index_elements=["project_id", "item_id", "model"],
        set_={"vector": insert.excluded.vector, "text_hash": insert.excluded.text_hash},
    )
)
_IN_PROJECT = and_(item_vectors.c.team_id == bindparam("scope"), item_vectors.c.project_id == bindparam("of_project"))
_OF_MODEL = and_(_IN_PROJECT, item_vectors.c.model == bindparam("of_model"))
_PAGE = Sql(
    select(item_vectors.c.item_id, item_vectors.c.vector)
    .where(_OF_MODEL, item_vectors.c.item_id > bindparam("after"))
    .order_by(item_vectors.c.item_id)
    .limit(bindparam("take"))
)
_SOME = Sql(
    select(item_vectors.c.item_id, item_vectors.c.vector).where(_OF_MODEL, InList(item_vectors.c.item_id, "item_ids"))
)
_MODELS = Sql(
    select(item_vectors.c.model, func.count().label("found")).where(_IN_PROJECT).group_by(item_vectors.c.model)
)
_DELETE_OTHERS = Sql(delete(item_vectors).where(_IN_PROJECT, item_vectors.c.model != bindparam("of_model")))
# "Less than" and "greater than" instead of "not equal", so that the primary key index can be used.
_BEFORE, _AFTER = vector_cache.c.model < bindparam("of_model"), vector_cache.c.model > bindparam("of_model")


def _cached(which: ColumnElement[bool]) -> ColumnElement[bool]:
    return select(vector_cache.c.model).where(vector_cache.c.project_id == projects.c.id, which).exists()


_WITH_OTHERS = Sql(
    select(projects.c.id, projects.c.team_id)
    .where(
        projects.c.id > bindparam("after"),
        projects.c.deleted_at_ms.is_(None),
        or_(_cached(_BEFORE), _cached(_AFTER)),
        ~select(items_to_embed.c.item_id).where(items_to_embed.c.project_id == projects.c.id).exists(),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)


def _delete_cached(which: ColumnElement[bool]) -> Sql:
    key = tuple(vector_cache.primary_key.columns)
    of_project = and_(
        vector_cache.c.team_id == bindparam("scope"), vector_cache.c.project_id == bindparam("of_project")
    )
    some = select(*key).where(of_project, which).limit(bindparam("take"))
    return Sql(delete(vector_cache).where(tuple_(*key).in_(some)))


_DELETE_CACHED = (_delete_cached(_BEFORE), _delete_cached(_AFTER))


async def upsert_vector(
    tx: Tx, scope: Scope, project_id: str, item_id: str, *, model: str, text_hash: str, vector: bytes
) -> None:
    await tx.run(
        _UPSERT,
        project_id=project_id,
        item_id=item_id,
        model=model,
        team_id=scope,
        text_hash=text_hash,
        vector=vector,
    )
    await store.mark_changed(tx, scope, project_id, item_id)


async def list_vectors(tx: Tx, scope: Scope, project_id: str, model: str, *, after: str, take: int) -> list[Row]:
    """List vectors by item id."""
    return await tx.many(_PAGE, scope=scope, of_project=project_id, of_model=model, after=after, take=take)


async def find_vectors(tx: Tx, scope: Scope, project_id: str, model: str, item_ids: Sequence[str]) -> dict[str, bytes]:
    rows = await tx.many(_SOME, scope=scope, of_project=project_id, of_model=model, item_ids=list(item_ids))
    return {row["item_id"]: row["vector"] for row in rows}


async def count_by_model(tx: Tx, scope: Scope, project_id: str) -> dict[str, int]:
    """Count a project's vectors by model. There are several models while the embedder is being changed."""
    rows = await tx.many(_MODELS, scope=scope, of_project=project_id)
    return {row["model"]: row["found"] for row in rows}


async def delete_other_models(tx: Tx, scope: Scope, project_id: str, model: str) -> None:
    """Delete vectors of models no longer in use, and bump the index version so that readers choose a model again."""
    if await tx.sweep(_DELETE_OTHERS, scope=scope, of_project=project_id, of_model=model):
        await store.next_version(tx, scope, project_id)


async def list_with_stale_cache(tx: Tx, model: str, *, after: str, take: int) -> list[Row]:
    """List fully embedded projects with cached vectors of other models. Unscoped: maintenance across teams."""
    return await tx.many(_WITH_OTHERS, of_model=model, after=after, take=take)


async def delete_stale_cache(tx: Tx, scope: Scope, project_id: str, model: str, take: int) -> int:
    """Delete up to ``take`` cached vectors of other models and return how many were deleted."""
    deleted = 0
    for query in _DELETE_CACHED:
        if deleted < take:
            deleted += await tx.sweep(query, scope=scope, of_project=project_id, of_model=model, take=take - deleted)
    return deleted
