"""Compares acknowledged writes with the contents of the database."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Table, func, select

from loremark.storage.connect import open_database
from loremark.storage.database import Database, Row
from loremark.storage.tables import api_keys, audit_entries, invitations, jobs, project_members, projects
from tests.support import databases

T = TypeVar("T")


def with_database(url: str, work: Callable[[Database], Awaitable[T]]) -> T:
    """Open the database, next to a server that may be running, and run ``work`` on it."""

    async def run() -> T:
        database = await open_database(databases.storage_address(url), pool=2)
        try:
            return await work(database)
        finally:
            await database.close()

    return asyncio.run(run())


async def rows(database: Database, table: Table, *conditions: ColumnElement[bool]) -> list[Row]:
    async with database.read() as tx:
        return await tx.many(select(table).where(*conditions))


async def count(database: Database, table: Table, *conditions: ColumnElement[bool]) -> int:
    async with database.read() as tx:
        found = await tx.many(select(func.count().label("found")).select_from(table).where(*conditions))
    return int(found[0]["found"])


def check_acknowledged_writes(url: str, acknowledged: dict[str, list[str]], attempted: dict[str, int]) -> None:
    """Check that every acknowledged write is stored exactly once and completely."""
    with_database(url, lambda database: _check(database, acknowledged, attempted))


async def _check(database: Database, acknowledged: dict[str, list[str]], attempted: dict[str, int]) -> None:
    found = {
        "project": [row["id"] for row in await rows(database, projects)],
        "key": [row["id"] for row in await rows(database, api_keys)],
        "invitation": [row["id"] for row in await rows(database, invitations)],
    }
    audited: dict[str, list[str]] = {"project.created": [], "key.created": [], "team.member_invited": []}
    for row in await rows(database, audit_entries, audit_entries.c.action.in_(audited)):
        audited[row["action"]].append(row["target"])
    for kind, action in (("project", "project.created"), ("key", "key.created"), ("invitation", "team.member_invited")):
        missing = set(acknowledged[kind]) - set(found[kind])
        assert not missing, f"lost: {len(missing)} of {len(acknowledged[kind])} acknowledged {kind}s"
        assert len(acknowledged[kind]) == len(set(acknowledged[kind]))
        assert sorted(audited[action]) == sorted(found[kind]), f"{kind}s and their audit entries differ"
        assert len(found[kind]) <= attempted[kind] + 1, "more than requested (plus one from create-owner)"
    members = [row["project_id"] for row in await rows(database, project_members, project_members.c.role == "owner")]
    assert sorted(members) == sorted(found["project"])
    emailed = [_invitation_id(row) for row in await rows(database, jobs, jobs.c.kind == "team.invitation_email")]
    assert sorted(emailed) == sorted(found["invitation"])


def _invitation_id(job: Row) -> str:
    payload: dict[str, Any] = msgspec.json.decode(job["payload"])
    return str(payload["invitationId"])
