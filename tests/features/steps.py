"""Shared steps of the feature tests: accounts, emails, raw database access and bulk rows."""

from __future__ import annotations

import asyncio
import email
import email.policy
import re
from collections.abc import Sequence
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import asyncpg
import httpx
from sqlalchemy import Table, insert

from loremark.base import clock, ids
from loremark.storage import sqlite_connection
from loremark.storage.tables import metadata, projects, team_members, users
from tests.support.databases import storage_address
from tests.support.service import PASSWORD, Service

_MAX_VALUES = 10_000
WRONG_PASSWORD = (401, {"error": "Incorrect email or password"})
UNAUTHENTICATED = (401, {"error": "Invalid or missing authentication credentials"})
FORBIDDEN = (403, {"error": "Forbidden"})
NO_PROJECT = (404, {"error": "Project not found"})
ARCHIVED = (409, {"error": "Project is archived"})


def status_and_body(answer: httpx.Response) -> tuple[int, Any]:
    """Status and JSON body, for comparison in one assertion."""
    return answer.status_code, answer.json()


def cookies_of(service: Service, answer: httpx.Response) -> dict[str, str]:
    """The cookies a response sets, without storing them in the client."""
    service.http.cookies.clear()
    jar = SimpleCookie(answer.headers["set-cookie"])
    return {name: morsel.value for name, morsel in jar.items()}


async def register(service: Service, email: str, **fields: Any) -> httpx.Response:
    """Create an account, from this machine."""
    body = {"email": email, "password": PASSWORD, "name": "Rita", **fields}
    answer = await service.http.post("/api/auth/register", json=body)
    service.http.cookies.clear()
    return answer


async def log_in(service: Service, email: str, password: str = PASSWORD, **options: Any) -> httpx.Response:
    body = {"email": email, "password": password, **options.pop("fields", {})}
    answer = await service.http.post("/api/auth/login", json=body, **options)
    service.http.cookies.clear()
    return answer


async def accept(service: Service, token: str, **fields: Any) -> httpx.Response:
    answer = await service.http.post("/api/team/invitations/accept", json={"token": token, **fields})
    service.http.cookies.clear()
    return answer


async def emails_to(folder: Path, address: str, count: int = 1) -> list[tuple[str, str]]:
    """Wait for ``count`` emails to an address; their subjects and texts, oldest first."""
    async with asyncio.timeout(60):
        while True:
            found: list[tuple[str, str]] = []
            for path in sorted((folder / "mail").glob("*.eml")):
                message = email.message_from_bytes(path.read_bytes(), policy=email.policy.default)
                body = message.get_body()
                if message["To"] == address and body is not None:
                    found.append((str(message["Subject"]), str(body.get_content())))
            if len(found) >= count:
                return found
            await asyncio.sleep(0.02)


def token_in(text: str) -> str:
    found = re.search(r"/invitation\?token=(\S+)", text)
    assert found is not None, text
    return found[1]


async def insert_rows(service: Service, table: Table, rows: Sequence[dict[str, Any]]) -> None:
    """Insert rows directly into the database."""
    step = _MAX_VALUES // len(table.columns)
    async with service.runtime.database.write() as tx:
        for start in range(0, len(rows), step):
            await tx.sweep(insert(table).values(list(rows[start : start + step])))


async def insert_people(service: Service, team_id: str, count: int) -> list[str]:
    """Add members to a team; returns their user ids in joining order."""
    now_ms = clock.now_ms()
    user_ids = [ids.new("usr") for _ in range(count)]
    people = [
        {"id": user_id, "email": f"{user_id}@example.com", "email_key": f"{user_id}@example.com", "name": "Crowd"}
        for user_id in user_ids
    ]
    await insert_rows(service, users, [{**row, "password_hash": None, "created_at_ms": now_ms} for row in people])
    members = [{"id": ids.new("mem"), "user_id": user_id} for user_id in user_ids]
    shared = {"team_id": team_id, "role": "member", "joined_at_ms": now_ms}
    await insert_rows(service, team_members, [{**row, **shared} for row in members])
    return user_ids


async def insert_projects(service: Service, team_id: str, count: int) -> list[str]:
    """Add projects without members to a team, oldest first."""
    now_ms = clock.now_ms()
    project_ids = [ids.new("prj") for _ in range(count)]
    shared = {
        "team_id": team_id,
        "description": "",
        "visibility": "private",
        "status": "active",
        "deep_enrich_enabled": False,
        "auto_approve_threshold": 0.9,
        "hmac_secret_sealed": "none",
        "memory_version": 0,
        "index_version": 0,
        "created_at_ms": now_ms,
        "updated_at_ms": now_ms,
    }
    await insert_rows(service, projects, [{"id": each, "name": each, **shared} for each in project_ids])
    return project_ids


async def raw_database(service: Service) -> bytes:
    """The raw contents of the database."""
    address = storage_address(service.settings.database_url)
    if isinstance(address, Path):
        files = sorted(address.parent.glob(f"{address.name}*"))
        assert files
        return b"".join(path.read_bytes() for path in files)
    connection = await asyncpg.connect(address)
    try:
        lines = [
            row[0]
            for table in metadata.sorted_tables
            for row in await connection.fetch(f'SELECT row_to_json(t)::text FROM "{table.name}" t')
        ]
    finally:
        await connection.close()
    return "\n".join(lines).encode()


def _run_local(path: Path, statements: tuple[str, ...]) -> list[Any]:
    local = sqlite_connection.connect(path)
    try:
        for statement in statements:
            cursor = local.execute(statement)
        return [tuple(row) for row in cursor.fetchall()]
    finally:
        local.close()


async def run_sql(service: Service, *statements: str) -> list[Any]:
    """Run SQL outside of the service; returns the rows of the last statement."""
    address = storage_address(service.settings.database_url)
    if isinstance(address, Path):
        return await asyncio.to_thread(_run_local, address, statements)  # do not block the event loop of the service
    remote = await asyncpg.connect(address)
    try:
        for statement in statements[:-1]:
            await remote.execute(statement)
        return [tuple(row) for row in await remote.fetch(statements[-1])]
    finally:
        await remote.close()
