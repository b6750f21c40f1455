"""Queries for assembling brains and recording their versions."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Select,
    and_,
    bindparam,
    case,
    delete,
    func,
    literal_column,
    or_,
    select,
    union_all,
)

from loremark.base import clock
from loremark.base.caller import Caller, Scope
from loremark.features.brain.request import DEFAULT_VARIANT, LAST_ANNOUNCED
from loremark.features.items.store import SESSION_SOURCE
from loremark.memory.branches import COMMON_DEFAULT_BRANCHES
from loremark.memory.extraction.operations import SAVED_TAG
from loremark.memory.extraction.scans import SCAN_TAG
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import brains, brains_to_check, contexts, item_files, items, project_members, projects

PATH_SEPARATOR = "\n"
"""Separates an item's paths in a result row. Paths cannot contain line breaks."""
BEGINNING_CHARS = 8_000
_MAX_VARIANTS = 64

_PROJECT = (projects.c.id, projects.c.team_id, projects.c.name, projects.c.description, projects.c.repo_url)
_PROJECT_EXISTS = and_(
    projects.c.team_id == bindparam("scope"),
    projects.c.id == bindparam("of_project"),
    projects.c.deleted_at_ms.is_(None),
)
# The project, the caller's membership and the last brain: three primary key lookups in one statement.
_FIND_CURRENT = Sql(
    select(
        projects.c.id,
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
    .where(_PROJECT_EXISTS)
)
_FIND_PROJECT = Sql(select(*_PROJECT, projects.c.memory_version).where(_PROJECT_EXISTS))
_LOCK_VERSION = Sql(select(projects.c.memory_version).where(_PROJECT_EXISTS).with_for_update())

_APPROVED_ITEM = and_(
    items.c.team_id == bindparam("scope"),
    items.c.project_id == bindparam("of_project"),
    items.c.status == "approved",
    items.c.superseded_by.is_(None),
)


def _has_tag(tag: str) -> ColumnElement[bool]:
    """Unlike LIKE, comparing after replacing distinguishes case on both engines."""
    return func.replace(items.c.tags, f'"{tag}"', "") != items.c.tags


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
    and_(*(items.c.branch != name for name in sorted(COMMON_DEFAULT_BRANCHES)), items.c.merged_at_ms.is_(None)).label(
        "on_branch"
    ),
    case(
        (items.c.tags == "[]", "other"), (_has_tag(SAVED_TAG), "saved"), (_has_tag(SCAN_TAG), "scan"), else_="other"
    ).label("origin"),
    items.c.reviewed,
    case((items.c.reviewed, None), else_=SESSION_SOURCE).label("session_source"),
)
OF_BRANCH = or_(
    items.c.branch.is_(None),
    items.c.merged_at_ms.is_not(None),
    *(items.c.branch == name for name in sorted(COMMON_DEFAULT_BRANCHES)),
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

# A literal, because the separator must be known when the statement is compiled.
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


def _upsert(new: Any) -> Any:
    """Upsert: the newer memory version wins, and an unchanged document keeps its original time."""
    insert = new(brains)
    newer = insert.excluded.memory_version >= brains.c.memory_version
    columns = {name: case((newer, insert.excluded[name]), else_=brains.c[name]) for name in ("memory_version", "etag")}
    other = and_(newer, insert.excluded.etag != brains.c.etag)
    columns |= {
        name: case((other, insert.excluded[name]), else_=brains.c[name]) for name in ("item_count", "updated_at_ms")
    }
    return insert.on_conflict_do_update(index_elements=["project_id", "variant"], set_=columns).returning(
        brains.c.etag, brains.c.updated_at_ms
    )


_UPSERT = Sql(_upsert)
_OF_BRAINS = and_(brains.c.team_id == bindparam("scope"), brains.c.project_id == bindparam("of_project"))
_FIND_BRAIN = Sql(select(brains).where(_OF_BRAINS, brains.c.variant == bindparam("of_variant")))
_PRUNE = Sql(
    delete(brains).where(
        _OF_BRAINS,
        brains.c.variant.in_(
            select(brains.c.variant)
            .where(_OF_BRAINS, brains.c.variant != DEFAULT_VARIANT, brains.c.variant != LAST_ANNOUNCED)
            .order_by(brains.c.updated_at_ms.desc(), brains.c.variant)
            .offset(_MAX_VARIANTS)
        ),
    )
)
_TOUCHED = Sql(
    select(brains_to_check)
    .where(brains_to_check.c.project_id > bindparam("after"))
    .order_by(brains_to_check.c.project_id)
    .limit(bindparam("take"))
)
_CLEAR_TOUCHED = Sql(
    delete(brains_to_check).where(
        brains_to_check.c.team_id == bindparam("scope"), brains_to_check.c.project_id == bindparam("of_project")
    )
)


async def find_current(tx: Tx, caller: Caller, project_id: str, variant: str) -> Row | None:
    """Return the project for this caller with the last brain of this variant, if any."""
    return await tx.one(
        _FIND_CURRENT, scope=caller.scope, of_project=project_id, user_id=caller.user_id, variant=variant
    )


async def find_project(tx: Tx, scope: Scope, project_id: str) -> Row | None:
    return await tx.one(_FIND_PROJECT, scope=scope, of_project=project_id)


async def lock_version(tx: Tx, scope: Scope, project_id: str) -> int | None:
    """Lock the project until the transaction ends and return its memory version, or None if it does not exist."""
    row = await tx.one(_LOCK_VERSION, scope=scope, of_project=project_id)
    return None if row is None else int(row["memory_version"])


async def list_items(tx: Tx, scope: Scope, project_id: str, branch: str | None) -> list[Row]:
    """List approved items of the default branch and this one, without texts."""
    return await tx.many(_ITEMS, scope=scope, of_project=project_id, of_branch=branch)


async def list_contexts(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """List approved contexts, the project's own and team-wide ones, without texts."""
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
    """Return current titles of items and contexts by id, in any status."""
    rows = await tx.many(_TITLES, scope=scope, of_project=project_id, ids=list(ids)) if ids else []
    return {row["id"]: row["title"] for row in rows}


async def list_files(tx: Tx, scope: Scope, project_id: str) -> list[Row]:
    """List the files of all items."""
    return await tx.many(_FILES, scope=scope, of_project=project_id)


async def find_brain(tx: Tx, scope: Scope, project_id: str, variant: str) -> Row | None:
    return await tx.one(_FIND_BRAIN, scope=scope, of_project=project_id, of_variant=variant)


async def upsert_brain(
    tx: Tx, scope: Scope, project_id: str, variant: str, *, version: int, etag: str, item_count: int
) -> Row:
    """Record a brain at a memory version; return the current record."""
    row = await tx.one(
        _UPSERT,
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
    """Delete all but the newest variants, the default one and the last announced one."""
    await tx.run(_PRUNE, scope=scope, of_project=project_id)


async def list_touched(tx: Tx, after: str, take: int) -> list[Row]:
    """List projects whose memory has changed. Unscoped: maintenance across teams."""
    return await tx.many(_TOUCHED, after=after, take=take)


async def clear_touched(tx: Tx, scope: Scope, project_id: str) -> None:
    await tx.run(_CLEAR_TOUCHED, scope=scope, of_project=project_id)
