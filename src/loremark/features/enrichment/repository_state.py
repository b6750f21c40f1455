"""Queries for the repository state: files as last seen, and commits of unmerged branches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import and_, bindparam, delete, func, select

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.memory.extraction.results import Digest, FileChange
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import branch_commits, file_states, item_files, items

_COMMITS = Bulk(
    branch_commits,
    ("project_id", "branch", "sha", "team_id", "event_id", "position"),
    ("project_id", "branch", "sha"),
)
_of_project = and_(
    branch_commits.c.team_id == bindparam("scope"), branch_commits.c.project_id == bindparam("of_project")
)
_BRANCHES_OF = Sql(select(branch_commits.c.branch).where(_of_project, InList(branch_commits.c.sha, "shas")).distinct())
_ranked = (
    select(
        branch_commits.c.branch,
        branch_commits.c.sha,
        func.row_number()
        .over(
            partition_by=branch_commits.c.branch,
            order_by=(branch_commits.c.event_id.desc(), branch_commits.c.position.desc()),
        )
        .label("place"),
    )
    .where(_of_project, InList(branch_commits.c.branch, "branches"))
    .subquery()
)
_HEADS = Sql(select(_ranked.c.branch, _ranked.c.sha).where(_ranked.c.place == 1))
_DELETE_BRANCHES = Sql(delete(branch_commits).where(_of_project, InList(branch_commits.c.branch, "branches")))
_UNMERGED = Sql(
    select(items.c.id)
    .where(
        items.c.team_id == bindparam("scope"),
        items.c.project_id == bindparam("of_project"),
        InList(items.c.branch, "branches"),
        items.c.merged_at_ms.is_(None),
    )
    .order_by(items.c.id)
)
_UPSERT_FILE = Sql(
    lambda new: (insert := new(file_states)).on_conflict_do_update(
        index_elements=["project_id", "path"],
        set_={name: insert.excluded[name] for name in ("fingerprint", "deleted", "event_id", "updated_at_ms")},
    )
)
_FILES = Sql(
    select(file_states).where(
        file_states.c.team_id == bindparam("scope"),
        file_states.c.project_id == bindparam("of_project"),
        InList(file_states.c.path, "paths"),
    )
)
_ITEM_FILES = Sql(
    select(item_files.c.item_id, item_files.c.path, item_files.c.fingerprint)
    .join(items, items.c.id == item_files.c.item_id)
    .where(
        item_files.c.team_id == bindparam("scope"),
        item_files.c.project_id == bindparam("of_project"),
        InList(item_files.c.path, "paths"),
        items.c.status != "deprecated",
    )
    .order_by(item_files.c.item_id, item_files.c.path)
)


async def record_commits(tx: Tx, scope: Scope, project_id: str, branch: str, digest: Digest, event_id: str) -> None:
    """Store the commits of a branch, in the order of the digest."""
    rows = [
        (project_id, branch, sha, scope, event_id, position)
        for position, sha in enumerate(dict.fromkeys(digest.commits))
    ]
    if rows:
        await tx.insert_new(_COMMITS, rows)


async def find_branches(tx: Tx, scope: Scope, project_id: str, shas: Sequence[str]) -> list[str]:
    """Return the branches that contain one of these commits."""
    rows = await tx.many(_BRANCHES_OF, scope=scope, of_project=project_id, shas=list(shas))
    return [row["branch"] for row in rows]


async def find_heads(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> dict[str, str]:
    """Return the newest known commit of each branch."""
    rows = await tx.many(_HEADS, scope=scope, of_project=project_id, branches=list(branches))
    return {row["branch"]: row["sha"] for row in rows}


async def delete_branches(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> None:
    await tx.sweep(_DELETE_BRANCHES, scope=scope, of_project=project_id, branches=list(branches))


async def list_unmerged(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> list[str]:
    """List ids of items learned on these branches that are not marked as merged."""
    rows = await tx.many(_UNMERGED, scope=scope, of_project=project_id, branches=list(branches))
    return [row["id"] for row in rows]


async def upsert_file_states(
    tx: Tx, scope: Scope, project_id: str, changes: Sequence[FileChange], event_id: str
) -> None:
    for change in changes:
        await tx.run(
            _UPSERT_FILE,
            project_id=project_id,
            path=change.path,
            team_id=scope,
            fingerprint=change.fingerprint,
            deleted=change.deleted,
            event_id=event_id,
            updated_at_ms=clock.now_ms(),
        )


async def find_file_states(tx: Tx, scope: Scope, project_id: str, paths: Sequence[str]) -> Mapping[str, Row]:
    rows = await tx.many(_FILES, scope=scope, of_project=project_id, paths=list(paths))
    return {row["path"]: row for row in rows}


async def list_item_files(tx: Tx, scope: Scope, project_id: str, paths: Sequence[str]) -> list[Row]:
    """List files of active items among these paths, with the fingerprint recorded for each item."""
    return await tx.many(_ITEM_FILES, scope=scope, of_project=project_id, paths=list(paths))
