"""The version of a project's memory: what is made from the memory is new when it is."""

from __future__ import annotations

from sqlalchemy import bindparam, update

from cairn.base.caller import Scope
from cairn.jobs.notices import tell_changed
from cairn.storage.database import Tx
from cairn.storage.statements import Sql
from cairn.storage.tables import projects

_OF_TEAM = projects.c.team_id == bindparam("scope")
_NEXT = {"memory_version": projects.c.memory_version + 1}
_TOUCH = Sql(update(projects).where(_OF_TEAM, projects.c.id == bindparam("project_id")).values(_NEXT))
_TOUCH_ALL = Sql(update(projects).where(_OF_TEAM, projects.c.deleted_at_ms.is_(None)).values(_NEXT))


async def lock_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Until the transaction ends, nobody else who asks for it changes this project's (or the team-wide) memory.

    Whoever changes several things at once takes it first: two of them in opposite order would wait for each other.
    """
    await tx.lock(f"memory {scope} {project_id or ''}")


async def touch_memory(tx: Tx, scope: Scope, project_id: str | None) -> None:
    """Something the brain could show has appeared, changed or gone; without a project, in all of the team's.

    Last in a transaction: the project's row stays held until its end.
    """
    if project_id is None:
        await tx.sweep(_TOUCH_ALL, scope=scope)
    else:
        await tx.run(_TOUCH, scope=scope, project_id=project_id)
    tell_changed(tx, scope, "memory", project_id)
