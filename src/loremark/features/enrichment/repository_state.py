"""Queries for the repository state: files as last seen, commits of open branches, and when branches were merged."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

import msgspec
from sqlalchemy import and_, bindparam, delete, select, union

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.memory.branches import OpenBranch
from loremark.memory.extraction.commit_parser import Commit, parse_commits
from loremark.memory.extraction.commit_reverts import parse_reverts
from loremark.memory.extraction.digests import commit_summary
from loremark.memory.extraction.results import CommitSummary, Digest, FileChange, Revert
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, InList, Sql
from loremark.storage.tables import branch_commits, events, file_states, item_files, items

_COMMITS = Bulk(
    branch_commits,
    ("project_id", "branch", "sha", "team_id", "event_id", "position"),
    ("project_id", "branch", "sha"),
)
_of_project = and_(
    branch_commits.c.team_id == bindparam("scope"), branch_commits.c.project_id == bindparam("of_project")
)
_MERGED = ""
"""The hash of a row that is no commit but the merge of a branch. Items learned before its event are merged."""
_MAX_BRANCHES = 500
_MAX_COMMITS = 5_000
_MAX_EVENTS = 100
_unmerged = and_(
    items.c.team_id == bindparam("scope"),
    items.c.project_id == bindparam("of_project"),
    items.c.merged_at_ms.is_(None),
)
_OPEN_BRANCHES = Sql(
    union(
        select(items.c.branch).where(_unmerged, items.c.branch.is_not(None)),
        select(branch_commits.c.branch).where(_of_project, branch_commits.c.sha != _MERGED),
    ).limit(_MAX_BRANCHES)
)
_OPEN_COMMITS = Sql(
    select(branch_commits.c.branch, branch_commits.c.sha, branch_commits.c.event_id)
    .where(_of_project, branch_commits.c.sha != _MERGED)
    .order_by(branch_commits.c.event_id.desc(), branch_commits.c.position.desc())
    .limit(_MAX_COMMITS)
)
_PAYLOADS = Sql(
    select(events.c.payload).where(events.c.team_id == bindparam("scope"), InList(events.c.id, "event_ids"))
)
_MERGES = Sql(
    select(branch_commits.c.branch, branch_commits.c.event_id).where(
        _of_project, branch_commits.c.sha == _MERGED, InList(branch_commits.c.branch, "branches")
    )
)
_DELETE_BRANCHES = Sql(delete(branch_commits).where(_of_project, InList(branch_commits.c.branch, "branches")))
_UNMERGED = Sql(select(items.c.id).where(_unmerged, InList(items.c.branch, "branches")).order_by(items.c.id))
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


async def list_open_branches(tx: Tx, scope: Scope, project_id: str) -> list[OpenBranch]:
    """List the branches that items or commits name and that are not merged, with their own commits."""
    names = [row["branch"] for row in await tx.many(_OPEN_BRANCHES, scope=scope, of_project=project_id)]
    if not names:
        return []
    rows = (await tx.many(_OPEN_COMMITS, scope=scope, of_project=project_id))[::-1]
    known = await _load_commits(tx, scope, rows)
    commits: dict[str, list[CommitSummary]] = {}
    for row in rows:
        sha = row["sha"]
        summary = commit_summary(known[sha]) if sha in known else CommitSummary(sha, "", "")
        commits.setdefault(row["branch"], []).append(summary)
    return [OpenBranch(name, tuple(commits.get(name, ()))) for name in names]


async def list_reverts(tx: Tx, scope: Scope, project_id: str, branches: Collection[str]) -> list[Revert]:
    """List the reverts among the commits of these branches, as if made on the default branch, oldest first."""
    rows = (await tx.many(_OPEN_COMMITS, scope=scope, of_project=project_id))[::-1]
    own = [row for row in rows if row["branch"] in branches]
    known = await _load_commits(tx, scope, own)
    made_in = {row["sha"]: row["event_id"] for row in own if row["sha"] in known}
    return [revert for sha, event_id in made_in.items() for revert in parse_reverts([known[sha]], event_id)]


async def _load_commits(tx: Tx, scope: Scope, rows: Sequence[Row]) -> dict[str, Commit]:
    """Return the commits of the newest events among these rows by hash, without their files."""
    event_ids = sorted({row["event_id"] for row in rows})[-_MAX_EVENTS:]
    payloads = await tx.many(_PAYLOADS, scope=scope, event_ids=event_ids) if event_ids else []
    return await asyncio.to_thread(lambda: {one.sha: one for row in payloads for one in _commits(row["payload"])})


def _commits(payload: str) -> list[Commit]:
    decoded = msgspec.json.decode(payload)
    return parse_commits(decoded, with_files=False) if isinstance(decoded, dict) else []


async def record_merges(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str], event_id: str) -> None:
    """Record that an event merged these branches, and forget their commits."""
    await tx.sweep(_DELETE_BRANCHES, scope=scope, of_project=project_id, branches=list(branches))
    await tx.insert_new(_COMMITS, [(project_id, branch, _MERGED, scope, event_id, 0) for branch in branches])


async def find_merges(tx: Tx, scope: Scope, project_id: str, branches: Sequence[str]) -> dict[str, str]:
    """Return the ids of the events that last merged these branches."""
    rows = await tx.many(_MERGES, scope=scope, of_project=project_id, branches=list(branches))
    return {row["branch"]: row["event_id"] for row in rows}


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
