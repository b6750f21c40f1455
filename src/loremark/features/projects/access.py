"""What a caller may do with a project. Every feature about projects asks here.

A project the caller cannot see does not exist for them (404); one they see but may not change is 403.
"""

from __future__ import annotations

import enum

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select

from loremark.base import errors, ids
from loremark.base.caller import MANAGERS, Caller
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import project_members, projects
from loremark.wire.projects import Rights


class Right(enum.IntEnum):
    """What is wanted of a project; each includes the ones before it."""

    READ = 1
    WRITE = 2
    MANAGE = 3


_WORDS: dict[Right, Rights] = {Right.READ: "read", Right.WRITE: "write", Right.MANAGE: "manage"}

_everyone = project_members.alias("everyone")
_member_count = (
    select(func.count())
    .select_from(_everyone)
    .where(_everyone.c.project_id == projects.c.id)
    .correlate(projects)
    .scalar_subquery()
)
_FIND = Sql(
    select(projects, project_members.c.role.label("my_role"), _member_count.label("member_count"))
    .join(
        project_members,
        and_(
            project_members.c.project_id == projects.c.id,
            project_members.c.user_id == bindparam("user_id"),
        ),
        isouter=True,
    )
    .where(
        projects.c.id == bindparam("project_id"),
        projects.c.team_id == bindparam("scope"),
        projects.c.deleted_at_ms.is_(None),
    )
)


def right_of(caller: Caller, project: Row) -> Right | None:
    """The most the caller may do with a project of their team; None when they may not see it."""
    if caller.manages or project["my_role"] in MANAGERS:
        return Right.MANAGE
    if project["my_role"] is not None:
        return Right.WRITE
    return Right.READ if project["visibility"] == "public" else None


def rights_of(caller: Caller, project: Row) -> Rights:
    """The same in a word, of a project that the caller sees."""
    right = right_of(caller, project)
    assert right is not None
    return _WORDS[right]


async def find_project(tx: Tx, caller: Caller, project_id: str) -> Row | None:
    """The project, if the caller may see it."""
    if not ids.looks_valid(project_id, "prj"):
        return None
    project = await tx.one(_FIND, project_id=project_id, scope=caller.scope, user_id=caller.user_id)
    return project if project is not None and right_of(caller, project) is not None else None


def visible_to(caller: Caller) -> ColumnElement[bool]:
    """The condition that a project (in a query over ``projects``) is one the caller may see."""
    living = and_(projects.c.team_id == caller.scope, projects.c.deleted_at_ms.is_(None))
    if caller.manages:
        return living
    mine = select(project_members.c.project_id).where(
        project_members.c.team_id == caller.scope, project_members.c.user_id == caller.user_id
    )
    return and_(living, or_(projects.c.visibility == "public", projects.c.id.in_(mine)))


async def get_project(tx: Tx, caller: Caller, project_id: str, wanted: Right, *, archived_too: bool = False) -> Row:
    """The project, or the refusal that fits. An archived one refuses writes unless told otherwise."""
    project = await find_project(tx, caller, project_id)
    if project is None:
        raise errors.PROJECT_NOT_FOUND()
    right = right_of(caller, project)
    if right is None or right < wanted:
        raise errors.FORBIDDEN()
    if wanted > Right.READ and project["status"] == "archived" and not archived_too:
        raise errors.PROJECT_ARCHIVED()
    return project


async def get_signed_project(tx: Tx, caller: Caller, project_id: str, *, for_change: bool) -> Row:
    """The project that a signature speaks for; any other does not exist for it. An archived one refuses changes."""
    signed = project_id == caller.credential_id
    project = await tx.one(_FIND, project_id=project_id, scope=caller.scope, user_id="") if signed else None
    if project is None:
        raise errors.PROJECT_NOT_FOUND()
    if for_change and project["status"] == "archived":
        raise errors.PROJECT_ARCHIVED()
    return project
