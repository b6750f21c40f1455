"""What a brain is read from, and which brains there were."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Select, and_, bindparam, case, delete, func, literal_column, or_, select, union_all

from loremark.base import clock
from loremark.base.caller import Caller, Scope
from loremark.features.brain.asked import DEFAULT_VARIANT, TOLD
from loremark.memory.branches import USUAL_DEFAULTS
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import brains, contexts, item_files, items, memory_touched, project_members, projects

PATH_SEPARATOR = "\n"
"""Between the paths of an item in a result row; no path holds a line break."""
BEGINNING_CHARS = 4_000
_VARIANTS_KEPT = 64

_PROJECT = (projects.c.id, projects.c.team_id, projects.c.name, projects.c.description, projects.c.repo_url)
_LIVING = and_(
    projects.c.team_id == bindparam("scope"),
    projects.c.id == bindparam("of_project"),
    projects.c.deleted_at_ms.is_(None),
)
# Project, the caller's part in it and the brain that was made last: three primary keys, one statement.
_LOOK = Sql(
    select(
        projects.c.visibility,
        projects.c.memory_version,
        project_members.c.role.label("my_role"),
        brains.c.memory_version.label("brain_version"),
        brains.c.etag,
        brains.c.updated_at_ms,
    )
    .join(
        project_members,
        and_(project_members.c.project_id == projects.c.id, project_members.c.user_id == bindparam("user_id")),
        isouter=True,
    )
    .join(brains, and_(brains.c.project_id == projects.c.id, brains.c.variant == bindparam("variant")), isouter=True)
    .where(_LIVING)
)
_FIND_PROJECT = Sql(select(*_PROJECT, projects.c.memory_version).where(_LIVING))
_HOLD_VERSION = Sql(select(projects.c.memory_version).where(_LIVING).with_for_update())

_APPROVED_ITEM = and_(
    items.c.team_id == bindparam("scope"),
    items.c.project_id == bindparam("of_project"),
    items.c.status == "approved",
)
ITEM_COLUMNS = (
    items.c.id,
    items.c.tier,
    items.c.type,
    items.c.schema_key,
    items.c.confidence,
    items.c.flags,
    items.c.token_count,
    items.c.updated_at_ms,
    (items.c.evidence != "[]").label("has_evidence"),
    and_(*(items.c.branch != name for name in sorted(USUAL_DEFAULTS)), items.c.merged_at_ms.is_(None)).label(
        "on_branch"
    ),
)
OF_BRANCH = or_(
    items.c.branch.is_(None),
    items.c.merged_at_ms.is_not(None),
    *(items.c.branch == name for name in sorted(USUAL_DEFAULTS)),
    items.c.branch == bindparam("of_branch"),
)
_ITEMS = Sql(select(*ITEM_COLUMNS).where(_APPROVED_ITEM, OF_BRANCH).order_by(items.c.id))
_APPROVED_CONTEXT = and_(
    contexts.c.team_id == bindparam("scope"),
    or_(contexts.c.project_key == bindparam("of_project"), contexts.c.project_key == ""),
    contexts.c.state == "approved",
)
CONTEXT_COLUMNS = (
    contexts.c.id,
    contexts.c.tier,
    contexts.c.context_type,
    contexts.c.schema_key,
    contexts.c.token_count,
    contexts.c.updated_at_ms,
)
_CONTEXTS = Sql(select(*CONTEXT_COLUMNS).where(_APPROVED_CONTEXT).order_by(contexts.c.id))

# Written into the statement: a parameter would have to be known when the statement is compiled.
_SEPARATOR: Any = literal_column(f"'{PATH_SEPARATOR}'")
_paths = (
    select(func.aggregate_strings(item_files.c.path, _SEPARATOR))
    .where(item_files.c.project_id == items.c.project_id, item_files.c.item_id == items.c.id)
    .correlate(items)
    .scalar_subquery()
)


def _item_texts(content: Any) -> Select[Any]:
    return select(items.c.id, items.c.title, content.label("content"), _paths.label("paths")).where(
        _APPROVED_ITEM, InList(items.c.id, "ids")
    )


def _context_texts(content: Any) -> Select[Any]:
    return select(contexts.c.id, contexts.c.name, contexts.c.description, content.label("content")).where(
        _APPROVED_CONTEXT, InList(contexts.c.id, "ids")
    )


_ITEM_TEXTS = Sql(_item_texts(items.c.content))
_ITEM_BEGINNINGS = Sql(_item_texts(func.substr(items.c.content, 1, BEGINNING_CHARS)))
_CONTEXT_TEXTS = Sql(_context_texts(contexts.c.content))
_CONTEXT_BEGINNINGS = Sql(_context_texts(func.substr(contexts.c.content, 1, BEGINNING_CHARS)))
_TITLES = Sql(
    union_all(
        select(items.c.id, items.c.title).where(
            items.c.team_id == bindparam("scope"),
            items.c.project_id == bindparam("of_project"),
            InList(items.c.id, "ids"),
        ),
        select(contexts.c.id, contexts.c.name).where(
            contexts.c.team_id == bindparam("scope"),
            or_(contexts.c.project_key == bindparam("of_project"), contexts.c.project_key == ""),
            InList(contexts.c.id, "ids"),
        ),
    )
)
_FILES = Sql(
    select(item_files.c.item_id, item_files.c.path).where(
        item_files.c.team_id == bindparam("scope"), item_files.c.project_id == bindparam("of_project")
    )
)


def _keep(new: Any) -> Any:
    """The newer memory wins; the same document keeps the time it was first put together."""
    made = new(brains)
    newer = made.excluded.memory_version >= brains.c.memory_version
    kept = {name: case((newer, made.excluded[name]), else_=brains.c[name]) for name in ("memory_version", "etag")}
    other = and_(newer, made.excluded.etag != brains.c.etag)
    kept |= {name: case((other, made.excluded[name]), else_=brains.c[name]) for name in ("item_count", "updated_at_ms")}
    return made.on_conflict_do_update(index_elements=["project_id", "variant"], set_=kept).returning(
        brains.c.etag, brains.c.updated_at_ms
    )


_KEEP = Sql(_keep)
_OF_BRAINS = and_(brains.c.team_id == bindparam("scope"), brains.c.project_id == bindparam("of_project"))
_FIND_BRAIN = Sql(select(brains).where(_OF_BRAINS, brains.c.variant == bindparam("of_variant")))
_PRUNE = Sql(
    delete(brains).where(
        _OF_BRAINS,
        brains.c.variant.in_(
            select(brains.c.variant)
            .where(_OF_BRAINS, brains.c.variant != DEFAULT_VARIANT, brains.c.variant != TOLD)
            .order_by(brains.c.updated_at_ms.desc(), brains.c.variant)
            .offset(_VARIANTS_KEPT)
        ),
    )
)
_TOUCHED = Sql(
    select(memory_touched)
    .where(memory_touched.c.project_id > bindparam("after"))
    .order_by(memory_touched.c.project_id)
    .limit(bindparam("take"))
)
_UNMARK = Sql(
    delete(memory_touched).where(
        memory_touched.c.team_id == bindparam("scope"), memory_touched.c.project_id == bindparam("of_project")
    )
)


async def look(tx: Tx, caller: Caller, project_id: str, variant: str) -> Row | None:
    """The project for this caller, with the brain of this variant if there was one."""
    return await tx.one(_LOOK, scope=caller.scope, of_project=project_id, user_id=caller.user_id, variant=variant)


async def find_project(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_FIND_PROJECT, scope=scope, of_project=project_id)


async def hold_version(tx: Tx, scope: Scope, project_id: str) -> int | None:
    """The version of a project's memory, which stays so until the transaction ends; None: the project is gone."""
    row = await tx.one(_HOLD_VERSION, scope=scope, of_project=project_id)
    return None if row is None else int(row["memory_version"])


async def list_items(tx: Tx, scope: Scope, project_id: str, branch: str | None) -> list[Row]:
    """Approved items without their texts: those of the default branch, and of this one."""
    return await tx.many(_ITEMS, scope=scope, of_project=project_id, of_branch=branch)


async def list_contexts(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """Approved contexts without their texts: the project's own and the team-wide ones."""
    return await tx.many(_CONTEXTS, scope=scope, of_project=project_id)


async def list_item_texts(
    tx: Tx, scope: Scope, project_id: str, ids: Collection[str], *, beginnings: bool
) -> list[Row]:
    statement = _ITEM_BEGINNINGS if beginnings else _ITEM_TEXTS
    return await tx.many(statement, scope=scope, of_project=project_id, ids=list(ids)) if ids else []


async def list_context_texts(
    tx: Tx, scope: Scope, project_id: str, ids: Collection[str], *, beginnings: bool
) -> list[Row]:
    statement = _CONTEXT_BEGINNINGS if beginnings else _CONTEXT_TEXTS
    return await tx.many(statement, scope=scope, of_project=project_id, ids=list(ids)) if ids else []


async def list_titles(tx: Tx, scope: Scope, project_id: str, ids: Collection[str]) -> dict[str, str]:
    """How items and contexts are called now, in whatever state they are, by id."""
    rows = await tx.many(_TITLES, scope=scope, of_project=project_id, ids=list(ids)) if ids else []
    return {row["id"]: row["title"] for row in rows}


async def list_files(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """Every file of every item."""
    return await tx.many(_FILES, scope=scope, of_project=project_id)


async def find_brain(tx: Tx, scope: Scope, project_id: str, variant: str) -> Row | None:
    return await tx.one(_FIND_BRAIN, scope=scope, of_project=project_id, of_variant=variant)


async def keep_brain(
    tx: Tx, scope: Scope, project_id: str, variant: str, *, version: int, etag: str, item_count: int
) -> Row:
    """Note what a brain was at a version of the memory; what holds now, with the time it was put together."""
    row = await tx.one(
        _KEEP,
        project_id=project_id,
        variant=variant,
        team_id=scope,
        memory_version=version,
        etag=etag,
        item_count=item_count,
        updated_at_ms=clock.now_ms(),
    )
    assert row is not None
    return row


async def prune_brains(tx: Tx, scope: Scope, project_id: str) -> None:
    """Only the newest variants are kept, beside the usual one and what was told last."""
    await tx.run(_PRUNE, scope=scope, of_project=project_id)


async def list_touched(tx: Tx, after: str, take: int) -> list[Row]:
    """Projects whose memory has changed. Unscoped: the upkeep of the whole installation asks."""
    return await tx.many(_TOUCHED, after=after, take=take)


async def unmark(tx: Tx, scope: Scope, project_id: str) -> None:
    await tx.run(_UNMARK, scope=scope, of_project=project_id)
