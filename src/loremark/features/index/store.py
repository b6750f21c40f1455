"""The index of a project: one row for each item, numbered by the project's index version.

The version is counted up and the row written in the transaction that changes the item; the project's row is held
from then on, so that versions become visible in their order. Whoever has read up to a version asks for what came after.

An item that has gone keeps its row until many changes came after it. Then the row is deleted, and one row of the
project, of no item, says up to which version: whoever has not read as far cannot hear what went, and reads all anew.
"""

from __future__ import annotations

from operator import itemgetter

from sqlalchemy import and_, bindparam, delete, func, or_, select, update

from loremark.base.caller import Scope
from loremark.memory.ranking.entry import Entry
from loremark.storage.database import Row, Tx
from loremark.storage.statements import InList, Sql
from loremark.storage.tables import item_index, projects

RANKED = ("approved", "draft")
"""The states in which an item can be found; of others the index keeps only that they are not to be."""
GONE = "gone"
FORGOTTEN = ""
"""In place of an item's id: the row whose version says how far rows of items that have gone were deleted."""
_FIELDS = itemgetter(*Entry._fields)

_NEXT_VERSION = Sql(
    update(projects)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("of_project"))
    .values(index_version=projects.c.index_version + 1)
    .returning(projects.c.index_version)
)
_VERSION = Sql(
    select(projects.c.index_version).where(
        projects.c.team_id == bindparam("scope"),
        projects.c.id == bindparam("of_project"),
        projects.c.deleted_at_ms.is_(None),
    )
)
_SAID = ("version", "status", "type", "schema_key", "session_id", "branch", "created_at_ms", "confidence", "terms")
_KEEP = Sql(
    lambda new: (made := new(item_index)).on_conflict_do_update(
        index_elements=["project_id", "item_id"], set_={name: made.excluded[name] for name in _SAID}
    )
)
_OF_PROJECT = and_(item_index.c.team_id == bindparam("scope"), item_index.c.project_id == bindparam("of_project"))
_ONE = and_(_OF_PROJECT, item_index.c.item_id == bindparam("of_item"))
_MARK_GONE = Sql(
    update(item_index)
    .where(_ONE)
    .values(version=bindparam("new_version"), status=GONE, terms=bindparam("no_terms"), session_id=None, branch=None)
)
_MARK_CHANGED = Sql(update(item_index).where(_ONE).values(version=bindparam("new_version")))
_PAGE = Sql(
    select(item_index)
    .where(
        _OF_PROJECT,
        or_(*(item_index.c.status == status for status in RANKED)),
        item_index.c.item_id > bindparam("after"),
    )
    .order_by(item_index.c.item_id)
    .limit(bindparam("take"))
)
_CHANGED = Sql(
    select(item_index)
    .where(_OF_PROJECT, item_index.c.version > bindparam("since"))
    .order_by(item_index.c.version)
    .limit(bindparam("take"))
)
_forgotten = item_index.alias("forgotten")
_up_to = func.coalesce(_forgotten.c.version, 0)
_LONG_AGO = Sql(
    select(projects.c.id, projects.c.team_id, projects.c.index_version, _up_to.label("up_to"))
    .outerjoin(
        _forgotten, and_(_forgotten.c.project_id == projects.c.id, _forgotten.c.item_id == bindparam("forgotten"))
    )
    .where(
        projects.c.id > bindparam("after"),
        projects.c.deleted_at_ms.is_(None),
        projects.c.index_version - _up_to >= bindparam("least"),
    )
    .order_by(projects.c.id)
    .limit(bindparam("take"))
)
_WENT = and_(_OF_PROJECT, item_index.c.status == GONE, item_index.c.version <= bindparam("until"))
_GONE = Sql(
    select(item_index.c.item_id, item_index.c.version)
    .where(_WENT, item_index.c.version > bindparam("since"))
    .order_by(item_index.c.version)
    .limit(bindparam("take"))
)
_HOLD = Sql(
    select(projects.c.index_version)
    .where(projects.c.team_id == bindparam("scope"), projects.c.id == bindparam("of_project"))
    .with_for_update(key_share=True)
)
_FORGET = Sql(delete(item_index).where(_WENT, InList(item_index.c.item_id, "item_ids")))


async def find_version(tx: Tx, scope: Scope, project_id: str) -> int | None:
    """The newest version; None when there is no such project."""
    row = await tx.one(_VERSION, scope=scope, of_project=project_id)
    return None if row is None else int(row["index_version"])


async def next_version(tx: Tx, scope: Scope, project_id: str) -> int:
    """A new version, of this transaction."""
    row = await tx.one(_NEXT_VERSION, scope=scope, of_project=project_id)
    return 0 if row is None else int(row["index_version"])


async def keep_entry(tx: Tx, scope: Scope, project_id: str, entry: Entry) -> None:
    """An item is new or has changed."""
    await tx.run(
        _KEEP,
        project_id=project_id,
        item_id=entry.item_id,
        team_id=scope,
        version=await next_version(tx, scope, project_id),
        status=entry.status,
        type=entry.type,
        schema_key=entry.schema_key,
        session_id=entry.session_id,
        branch=entry.branch,
        created_at_ms=entry.created_at_ms,
        confidence=entry.confidence,
        terms=entry.terms if entry.status in RANKED else b"",
    )


async def drop_entry(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """An item has gone."""
    version = await next_version(tx, scope, project_id)
    await tx.run(_MARK_GONE, scope=scope, of_project=project_id, of_item=item_id, new_version=version, no_terms=b"")


async def mark_changed(tx: Tx, scope: Scope, project_id: str, item_id: str) -> None:
    """What belongs to an entry has changed: its vector."""
    version = await next_version(tx, scope, project_id)
    await tx.run(_MARK_CHANGED, scope=scope, of_project=project_id, of_item=item_id, new_version=version)


async def list_entries(tx: Tx, scope: Scope, project_id: str, *, after: str, take: int) -> list[Row]:
    """What can be found, by item id."""
    return await tx.many(_PAGE, scope=scope, of_project=project_id, after=after, take=take)


async def list_changed(tx: Tx, scope: Scope, project_id: str, since: int, take: int) -> list[Row]:
    """What has changed after a version, also what is no longer to be found.

    Nothing where rows of items that went after it have been deleted: then all is to be read anew.
    """
    rows = await tx.many(_CHANGED, scope=scope, of_project=project_id, since=since, take=take)
    return [] if any(row["item_id"] == FORGOTTEN for row in rows) else rows


async def list_grown(tx: Tx, *, after: str, least: int, take: int) -> list[Row]:
    """Unscoped: upkeep. Projects with so many versions since rows of theirs were last forgotten, by their ids."""
    return await tx.many(_LONG_AGO, forgotten=FORGOTTEN, after=after, least=least, take=take)


async def list_gone(tx: Tx, scope: Scope, project_id: str, *, since: int, until: int, take: int) -> list[Row]:
    """Items that went after one version and up to another, in the order in which they went."""
    return await tx.many(_GONE, scope=scope, of_project=project_id, since=since, until=until, take=take)


async def forget_gone(tx: Tx, scope: Scope, project_id: str, item_ids: list[str], until: int) -> None:
    """Delete the rows of items that went up to a version, all of which are named, and keep that in mind."""
    if await tx.one(_HOLD, scope=scope, of_project=project_id) is None:
        return
    await tx.sweep(_FORGET, scope=scope, of_project=project_id, until=until, item_ids=item_ids)
    await tx.run(
        _KEEP,
        project_id=project_id,
        item_id=FORGOTTEN,
        team_id=scope,
        version=until,
        status=GONE,
        type="",
        schema_key="",
        session_id=None,
        branch=None,
        created_at_ms=0,
        confidence=0.0,
        terms=b"",
    )


def to_entry(row: Row) -> Entry:
    return Entry._make(_FIELDS(row))
