"""Project access checks, used by every feature that works on projects.

A project the caller cannot see answers 404; one they can see but not change answers 403.
"""

from __future__ import annotations

import enum

from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select

from loremark.base import errors, ids
from loremark.base.caller import MANAGERS, Caller
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Sql
from loremark.storage.tables import project_members, projects
from loremark.wire.projects import AccessLevel


class Access(enum.IntEnum):
    """A level of access to a project; each includes the ones before it."""

    READ = 1
    WRITE = 2
    MANAGE = 3


_LEVELS: dict[Access, AccessLevel] = {Access.READ: "read", Access.WRITE: "write", Access.MANAGE: "manage"}

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


def access_of(caller: Caller, project: Row) -> Access | None:
    """The caller's access to a project of their team, or None if they cannot see it."""
    if caller.only_project not in (None, project["id"]):
        return None
    if caller.role in MANAGERS or project["my_role"] in MANAGERS:
        return Access.MANAGE
    if project["my_role"] is not None:
        return Access.WRITE
    return Access.READ if project["visibility"] == "public" else None


def access_level_of(caller: Caller, project: Row) -> AccessLevel:
    """The access level as returned by the API. The caller must be able to see the project."""
    access = access_of(caller, project)
    assert access is not None
    return _LEVELS[access]


async def find_project(tx: Tx, caller: Caller, project_id: str) -> Row | None:
    """Find a project the caller can see."""
    if not ids.looks_valid(project_id, "prj"):
        return None
    project = await tx.one(_FIND, project_id=project_id, scope=caller.scope, user_id=caller.user_id)
    return project if project is not None and access_of(caller, project) is not None else None


def visible_to(caller: Caller) -> ColumnElement[bool]:
    """A condition for queries over ``projects``: the caller can see the project."""
    existing = and_(projects.c.team_id == caller.scope, projects.c.deleted_at_ms.is_(None))
    if caller.only_project is not None:
        existing = and_(existing, projects.c.id == caller.only_project)
    if caller.role in MANAGERS:
        return existing
    mine = select(project_members.c.project_id).where(
        project_members.c.team_id == caller.scope, project_members.c.user_id == caller.user_id
    )
    return and_(existing, or_(projects.c.visibility == "public", projects.c.id.in_(mine)))


async def get_project(tx: Tx, caller: Caller, project_id: str, wanted: Access, *, allow_archived: bool = False) -> Row:
    """Get a project, or raise the matching error. Archived projects reject writes unless ``allow_archived``."""
    project = await find_project(tx, caller, project_id)
    if project is None:
        raise errors.PROJECT_NOT_FOUND()
    access = access_of(caller, project)
    if access is None or access < wanted:
        raise errors.FORBIDDEN()
    if wanted > Access.READ and project["status"] == "archived" and not allow_archived:
        raise errors.PROJECT_ARCHIVED()
    return project


async def get_signed_project(tx: Tx, caller: Caller, project_id: str, *, for_change: bool) -> Row:
    """Get the project a signature was made for; any other is not found. Archived projects reject changes."""
    signed = project_id == caller.credential_id
    project = await tx.one(_FIND, project_id=project_id, scope=caller.scope, user_id="") if signed else None
    if project is None:
        raise errors.PROJECT_NOT_FOUND()
    if for_change and project["status"] == "archived":
        raise errors.PROJECT_ARCHIVED()
    return project
