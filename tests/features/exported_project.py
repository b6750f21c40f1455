"""A project with every kind of record, and helpers to export and import it."""

from __future__ import annotations

import json
from typing import Any

import httpx
from sqlalchemy import select

from loremark.base.caller import Scope
from loremark.features.items import service as items
from loremark.features.items.records import to_item
from loremark.storage.tables import events
from tests.contract.examples_memory import keep_item
from tests.features.memory_project import Memory, digest, save
from tests.support.people import Person
from tests.support.service import Service


async def export(person: Person, project: str) -> bytes:
    answer = await person.get(f"/api/v2/export?projectId={project}")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return answer.content


def export_scope(person: Person, project: str, method: str = "GET") -> dict[str, Any]:
    """The ASGI scope of an export request, to read the response in chunks."""
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": "/api/v2/export",
        "raw_path": b"/api/v2/export",
        "query_string": f"projectId={project}".encode(),
        "headers": [(b"host", b"127.0.0.1:8000"), (b"authorization", f"Bearer {person.key}".encode())],
        "client": ("127.0.0.1", 5),
        "server": ("127.0.0.1", 8000),
        "root_path": "",
    }


async def post_import(person: Person, project: str, lines: bytes, query: str = "") -> httpx.Response:
    return await person.call("POST", f"/api/v2/import?projectId={project}{query}", content=lines)


async def import_lines(person: Person, project: str, lines: bytes, query: str = "") -> dict[str, Any]:
    answer = await post_import(person, project, lines, query)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()
    return result


def decode_lines(lines: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def created_counts(result: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, count in result["created"].items() if count}


async def create_full_project(service: Service) -> Memory:
    """A project with enriched sessions, a large text, a branch, contexts, edits, merges, conflicts and every status."""
    memory = await Memory.of(service, description="A sample project", autoApproveThreshold=0.75)
    owner, project = memory.owner, memory.tool.project_id
    changes = (
        ("decision", "Sessions live in Redis", "Sessions are kept in Redis, because they must outlive a restart."),
        ("convention", "Errors are wrapped", "Errors are always wrapped with the name of the operation in src/api.py."),
    )
    await memory.learn(save(*changes, summary="We moved sessions to Redis. " * 500, files=["src/api.py"]))
    retry = "fix: retry on timeouts\n\nCarriers drop one request in fifty because their proxies restart."
    await memory.learn(digest(("a1" * 20, retry, ["src/retry.py"]), branch="feature/retry"), "git_digest")
    await memory.send({"$blob": "not ours", "deep": {"$$blob": [1, 2.5, None, True]}, "big": 2**53})
    first = await keep_item(service, owner, project, title="Old way", content="Jobs ran in cron.", branch="old")
    second = await keep_item(
        service, owner, project, title="New way", content="Jobs run in the queue.", confidence=0.97
    )
    third = await keep_item(service, owner, project, title="Other way", content="Jobs run in threads.", files=())
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        row = await items.lock_item(tx, scope, first)
        assert row is not None
        await items.change_item(tx, scope, row, to_item(row), reason="merged", superseded_by=second)
        await items.add_conflict(tx, scope, project, second, third, "one says queue, the other threads")
    for item, change in ((second, {"status": "approved"}), (first, {"status": "deprecated"}), (third, {"tags": ["x"]})):
        assert (await owner.patch(f"/api/v2/items/{item}", change)).status_code == 200
    root = (await owner.post("/api/contexts", {"name": "Root", "schemaKey": "root", "projectId": project})).json()
    body = {"name": "API", "content": "# API\n- one\n", "parentContextId": root["id"], "projectId": project}
    api = (await owner.post("/api/contexts", {**body, "schemaKey": "root/api"})).json()
    assert (await owner.patch(f"/api/contexts/{api['id']}", {"content": "# API\n- two\n"})).status_code == 200
    approved = await owner.post(f"/api/contexts/{api['id']}/approve", {"action": "approve"})
    assert approved.status_code == 200, approved.text
    return memory


async def count_events(service: Service, project: str) -> int:
    async with service.runtime.database.read() as tx:
        return len(await tx.many(select(events.c.id).where(events.c.project_id == project)))
