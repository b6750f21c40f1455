"""The version of a project's memory: what is made from the memory is new when it is."""

from __future__ import annotations

from sqlalchemy import bindparam, select, update

from loremark.base.caller import Scope
from loremark.jobs.notices import tell_changed
from loremark.storage.database import Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import memory_touched, projects

_OF_TEAM = projects.c.team_id == bindparam("scope")
_NEXT = {"memory_version": projects.c.memory_version + 1}
_TOUCH = Sql(update(projects).where(_OF_TEAM, projects.c.id == bindparam("project_id")).values(_NEXT))
_TOUCH_ALL = Sql(update(projects).where(_OF_TEAM, projects.c.deleted_at_ms.is_(None)).values(_NEXT))
_MARK = Sql(lambda new: new(memory_touched).on_conflict_do_nothing(index_elements=["project_id"]))
_MARK_ALL = Sql(
    lambda new: (
        new(memory_touched)
        .from_select(
            ["project_id", "team_id"],
            select(projects.c.id, projects.c.team_id).where(_OF_TEAM, projects.c.deleted_at_ms.is_(None)),
        )
        .on_conflict_do_nothing(index_elements=["project_id"])
    )
)


async def lock_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Until the transaction ends, nobody else who asks for it changes this project's (or the team-wide) memory.

    Whoever changes several things at once takes it first: two of them in opposite order would wait for each other.
    """
    await tx.lock(f"memory {scope} {project_id or ''}")


async def touch_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Something the brain could show has appeared, changed or gone; without a project, in all of the team's.

    Last in a transaction: the project's row stays held until its end. Marked, so that the brain is looked at anew.
    """
    if project_id is None:
        await tx.sweep(_TOUCH_ALL, scope=scope)
        await tx.sweep(_MARK_ALL, scope=scope)
    else:
        await tx.run(_TOUCH, scope=scope, project_id=project_id)
        await tx.run(_MARK, project_id=project_id, team_id=scope)
    tell_changed(tx, scope, "memory", project_id)
