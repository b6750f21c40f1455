"""A deleted project disappears immediately, its data soon after, and other projects lose nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import pytest
from sqlalchemy import BigInteger, Boolean, Float, LargeBinary, Table, select

from loremark.ports.blobs.store import open_blobs
from loremark.storage.tables import (
    api_keys,
    audit_entries,
    brains,
    brains_to_check,
    item_vectors,
    items_to_embed,
    jobs,
    metadata,
    outbox,
    project_members,
    projects,
    turns_to_embed,
)
from tests.features.steps import NO_PROJECT, insert_rows, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

# The outbox drains by itself; the audit log is kept.
EXCLUDED = (audit_entries, outbox)
TABLES = [table for table in metadata.sorted_tables if "project_id" in table.c and table not in EXCLUDED]
# Pending work, which the service processes at any time during the test.
PENDING_WORK = (items_to_embed, turns_to_embed, brains_to_check)
STABLE_TABLES = [table for table in TABLES if table not in PENDING_WORK]
VECTOR_COUNT = 5_100


def _row(table: Table, project_id: str, number: int, known: dict[str, str]) -> dict[str, Any]:
    """A row for any table, with a unique value of the right type in every column."""
    row: dict[str, Any] = {}
    for column in table.columns:
        if column.name in known:
            row[column.name] = known[column.name]
        elif isinstance(column.type, BigInteger):
            row[column.name] = number
        elif isinstance(column.type, Boolean):
            row[column.name] = False
        elif isinstance(column.type, Float):
            row[column.name] = number / 8
        elif isinstance(column.type, LargeBinary):
            row[column.name] = hashlib.sha256(f"{table.name} {project_id} {number}".encode()).digest()
        else:
            row[column.name] = f"{table.name} {column.name} {project_id} {number}"
    return row


async def _fill(service: Service, project_id: str, owner: Person, tables: Iterable[Table]) -> None:
    """Insert rows into each table, and many vectors of the current model (others are pruned by the service)."""
    model = service.runtime.engines.embedder.name
    for table in tables:
        known = {"project_id": project_id, "team_id": owner.team_id} | (
            {"model": model} if table is item_vectors else {}
        )
        if table is api_keys:
            known["user_id"] = owner.user_id
        count = 1 if list(table.primary_key.columns) == [table.c.project_id] else 3
        if table is item_vectors:
            count = VECTOR_COUNT
        await insert_rows(service, table, [_row(table, project_id, number, known) for number in range(count)])


async def _rows(service: Service, table: Table, project_id: str) -> list[tuple[Any, ...]]:
    names = [column.name for column in table.columns]
    async with service.runtime.database.read() as tx:
        found = await tx.many(select(table).where(table.c.project_id == project_id))
    return sorted(tuple(row[name] for name in names) for row in found)


async def test_project_deletion_removes_only_its_own_data(service: Service) -> None:
    owner = await service.owner()
    deleted_project, other_project = await owner.create_project("Gone"), await owner.create_project("Kept")
    blobs = open_blobs(service.settings.blobs_url)
    for project in (deleted_project, other_project):
        await _fill(service, project, owner, STABLE_TABLES)
        for number in range(3):
            await blobs.put(project, f"{number:064x}", f"{project} {number}".encode())
    before = {table.name: await _rows(service, table, other_project) for table in STABLE_TABLES}
    assert {name for name, rows in before.items() if not rows} == set()
    assert len(before["item_vectors"]) == VECTOR_COUNT
    assert all([await _rows(service, table, deleted_project) for table in STABLE_TABLES])
    detail = (await owner.get(f"/api/projects/{other_project}")).json()

    await _fill(service, deleted_project, owner, [items_to_embed])
    deleted = await owner.delete(f"/api/projects/{deleted_project}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    path = f"/api/projects/{deleted_project}"
    for method, suffix, body in (
        ("GET", "", None),
        ("PATCH", "", {"name": "x"}),
        ("PATCH", "", {"status": "active"}),
        ("DELETE", "", None),
        ("GET", "/members", None),
        ("POST", "/members", {"email": owner.email}),
        ("GET", "/hmac-secret", None),
        ("POST", "/hmac-secret/rotate", None),
    ):
        assert status_and_body(await owner.call(method, path + suffix, body)) == NO_PROJECT
    assert [entry["id"] for entry in (await owner.get("/api/projects")).json()] == [other_project]

    await service.wait_for_jobs()
    async with service.runtime.database.read() as tx:
        assert [
            row["status"] for row in await tx.many(select(jobs.c.status).where(jobs.c.kind == "projects.purge"))
        ] == ["completed"]
        assert await tx.many(select(projects.c.id).where(projects.c.id == deleted_project)) == []
    remaining = {table.name: len(await _rows(service, table, deleted_project)) for table in TABLES}
    assert {name: count for name, count in remaining.items() if count} == {}
    assert await blobs.list_project(deleted_project) == []

    for table in STABLE_TABLES:
        after = await _rows(service, table, other_project)
        # A brain may have been assembled meanwhile; existing ones must remain.
        assert after == before[table.name] or (table is brains and set(after) >= set(before[table.name])), table.name
    for number in range(3):
        assert await blobs.get(other_project, f"{number:064x}") == f"{other_project} {number}".encode()
    assert (await owner.get(f"/api/projects/{other_project}")).json() == detail
    log = (await owner.get(f"/api/audit?projectId={deleted_project}")).json()
    assert [entry["action"] for entry in log] == ["project.deleted", "project.created"]


def test_deletion_covers_every_project_table() -> None:
    """Project tables have a ``project_id`` column; all other tables are listed here."""
    other_tables = {table.name for table in metadata.sorted_tables if "project_id" not in table.c}
    assert other_tables == {
        "billing_accounts",
        "credit_transactions",
        "installation",
        "invitations",
        "logins",
        "passkeys",
        "payment_events",
        "projects",
        "recovery_codes",
        "signin_links",
        "team_members",
        "teams",
        "totp",
        "usage_counters",
        "used_challenges",
        "users",
    }
    assert project_members in TABLES
