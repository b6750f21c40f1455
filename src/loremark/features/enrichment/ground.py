"""What is known of the repository: the files as last seen, and the commits of branches that are not merged yet."""

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
_FORGET_BRANCHES = Sql(delete(branch_commits).where(_of_project, InList(branch_commits.c.branch, "branches")))
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
_SEE_FILE = Sql(
    lambda new: (made := new(file_states)).on_conflict_do_update(
        index_elements=["project_id", "path"],
        set_={name: made.excluded[name] for name in ("fingerprint", "deleted", "event_id", "updated_at_ms")},
    )
)
_FILES = Sql(
    select(file_states).where(
        file_states.c.team_id == bindparam("scope"),
        file_states.c.project_id == bindparam("of_project"),
        InList(file_states.c.path, "paths"),
    )
)
_HOLDING = Sql(
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


async def note_commits(tx: Tx, scope: Scope, project_id: str, branch: str, digest: Digest, event_id: str) -> None:
    """Commits of a branch, in the order the digest tells them."""
    rows = [
        (project_id, branch, sha, scope, event_id, position)
        for position, sha in enumerate(dict.fromkeys(digest.commits))
    ]
    if rows:
        await tx.insert_new(_COMMITS, rows)


async def branches_with(tx: Tx, scope: Scope, project_id: str, shas: Sequence[str]) -> list[str]:
    """The branches that have one of these commits."""
    rows = await tx.many(_BRANCHES_OF, scope=scope, of_project=project_id, shas=list(shas))
    return [row["branch"] for row in rows]


async def heads(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> dict[str, str]:
    """The newest commit we know of each branch."""
    rows = await tx.many(_HEADS, scope=scope, of_project=project_id, branches=list(branches))
    return {row["branch"]: row["sha"] for row in rows}


async def forget_branches(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> None:
    await tx.sweep(_FORGET_BRANCHES, scope=scope, of_project=project_id, branches=list(branches))


async def list_unmerged(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> list[str]:
    """Items learnt on these branches that still wait for the merge."""
    rows = await tx.many(_UNMERGED, scope=scope, of_project=project_id, branches=list(branches))
    return [row["id"] for row in rows]


async def see_files(tx: Tx, scope: Scope, project_id: str, changes: Sequence[FileChange], event_id: str) -> None:
    for change in changes:
        await tx.run(
            _SEE_FILE,
            project_id=project_id,
            path=change.path,
            team_id=scope,
            fingerprint=change.fingerprint,
            deleted=change.deleted,
            event_id=event_id,
            updated_at_ms=clock.now_ms(),
        )


async def find_files(tx: Tx, scope: Scope, project_id: str, paths: Sequence[str]) -> Mapping[str, Row]:
    rows = await tx.many(_FILES, scope=scope, of_project=project_id, paths=list(paths))
    return {row["path"]: row for row in rows}


async def list_holding(tx: Tx, scope: Scope, project_id: str, paths: Sequence[str]) -> list[Row]:
    """Living items that are about one of these files, with the fingerprint each knows."""
    return await tx.many(_HOLDING, scope=scope, of_project=project_id, paths=list(paths))
