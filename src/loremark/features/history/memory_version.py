"""The version of a project's memory, which invalidates everything derived from it."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from loremark.base.caller import Scope
from loremark.jobs.notices import notify_changed
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import brains_to_check, projects

_OF_TEAM = projects.c.team_id == bindparam("scope")
_NEXT = {"memory_version": projects.c.memory_version + 1}
_TOUCH = Sql(update(projects).where(_OF_TEAM, projects.c.id == bindparam("project_id")).values(_NEXT))
_TOUCH_ALL = Sql(update(projects).where(_OF_TEAM, projects.c.deleted_at_ms.is_(None)).values(_NEXT))
_MARK = Sql(lambda new: new(brains_to_check).on_conflict_do_nothing(index_elements=["project_id"]))
_MARK_ALL = Sql(
    lambda new: (
        new(brains_to_check)
        .from_select(
            ["project_id", "team_id"],
            select(projects.c.id, projects.c.team_id).where(_OF_TEAM, projects.c.deleted_at_ms.is_(None)),
        )
        .on_conflict_do_nothing(index_elements=["project_id"])
    )
)


async def lock_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Take the advisory lock on a project's (or the team-wide) memory until the transaction ends.

    Take it before changing several rows: two writers that lock rows in opposite order would deadlock.
    """
    await tx.lock(f"memory {scope} {project_id or ''}")


async def touch_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Record that the brain may have changed: of one project, or without a project id of all the team's projects.

    Call it last in a transaction, because it locks the project's row. It also schedules the brain for a new check.
    """
    if project_id is None:
        await tx.sweep(_TOUCH_ALL, scope=scope)
        await tx.sweep(_MARK_ALL, scope=scope)
    else:
        await tx.run(_TOUCH, scope=scope, project_id=project_id)
        await tx.run(_MARK, project_id=project_id, team_id=scope)
    notify_changed(tx, scope, "memory", project_id)
