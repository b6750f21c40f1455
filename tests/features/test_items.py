"""Items: lists, updates and their effects, and webhook events."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import pytest
from sqlalchemy import insert, select

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.storage.tables import (
    item_conflicts,
    item_files,
    item_vectors,
    items_to_embed,
    outbox,
    projects,
    revisions,
    webhook_deliveries,
)
from loremark.storage.tables import items as items_table
from loremark.wire.events import WebhookEvent
from tests.contract.examples_capture import HOOK
from tests.contract.examples_memory import keep_item, new_item
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

PATH = "/api/v2/items"
NO_ITEM = (404, {"error": "Item not found"})


async def _get_item(person: Person, item_id: str) -> dict[str, Any]:
    answer = await person.get(f"{PATH}/{item_id}")
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def _ids(person: Person, query: str = "") -> list[str]:
    answer = await person.get(f"{PATH}{query}")
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()]


async def _memory_version(service: Service, project: str) -> int:
    async with service.runtime.database.read() as tx:
        row = await tx.one(select(projects.c.memory_version).where(projects.c.id == project))
    assert row is not None
    return int(row["memory_version"])


async def _conflict(service: Service, owner: Person, project: str, *pairs: tuple[str, str]) -> None:
    """Record a conflict as drift_check does: rows in both directions, and both items flagged."""
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        for one, other in pairs:
            await items.add_conflict(tx, scope, project, one, other, "they differ")
        for row in await items.list_by_ids(tx, scope, {item_id for pair in pairs for item_id in pair}):
            item = records.to_item(row)
            flagged = dataclasses.replace(item, flags=(*item.flags, "conflict"))
            await items.change_item(tx, scope, row, flagged, reason="flagged")


async def test_item_is_returned_with_all_fields(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        item_id = await keep_item(service, owner, project, files=("b.py", "a b.py", "ä.py"), flags=("stale", "quality"))
    shown = await _get_item(owner, item_id)
    assert shown == {
        "id": item_id,
        "title": "Sessions are kept in Redis",
        "content": "They outlive a restart.",
        "type": "decision",
        "schemaKey": "root/api/sessions",
        "status": "draft",
        "confidence": 0.8,
        "sourceRef": shown["sourceRef"],
        "files": ["a b.py", "b.py", "ä.py"],
        "createdAt": clock.iso(now_ms),
        "updatedAt": clock.iso(now_ms),
        "projectId": project,
        "tier": 2,
        "tags": ["redis"],
        "evidence": [
            {"eventId": shown["evidence"][0]["eventId"], "quote": "we keep sessions in Redis", "commitSha": None}
        ],
        "flags": ["quality", "stale"],
        "supersededBy": None,
        "mergedFrom": [],
        "branch": "main",
        "version": 1,
        "reviewed": False,
    }
    assert status_and_body(await owner.get(f"{PATH}?projectId={project}")) == (200, [shown])


async def test_lists_filter_and_page_newest_first(service: Service) -> None:
    owner = await service.owner()
    first, second = await owner.create_project("First"), await owner.create_project("Second")
    fields: list[dict[str, Any]] = [
        {"type": "bug", "schema_key": "root/api"},
        {"schema_key": "root/api/auth", "status": "approved"},
        {"schema_key": "root/api-v2", "branch": "feature/x", "files": ()},
        {"schema_key": "root/a_i/auth", "flags": ("stale",), "files": ("src/100%.py", "other.py")},
    ]
    created = [await keep_item(service, owner, project, **each) for project in (first, second) for each in fields]
    a, b, c, d = created[:4]
    assert await _ids(owner) == created[::-1]
    assert await _ids(owner, f"?projectId={first}") == [d, c, b, a]
    for query, expected in (
        ("type=bug", [a]),
        ("schemaKey=root/api", [b, a]),
        ("schemaKey=root/api/auth", [b]),
        ("schemaKey=root", [d, c, b, a]),
        ("schemaKey=roo", []),
        ("status=approved", [b]),
        ("status=draft&type=decision", [d, c]),
        ("branch=feature/x", [c]),
        ("flag=stale", [d]),
        ("flag=conflict", []),
        ("files=src/api.py", [b, a]),
        ("files=src/100%25.py", [d]),
        ("files=src/api", []),
    ):
        assert await _ids(owner, f"?projectId={first}&{query}") == expected, query
    page = await owner.get(f"{PATH}?limit=3")
    assert [each["id"] for each in page.json()] == created[:4:-1]
    assert await _ids(owner, f"?cursor={page.headers['x-next-cursor']}") == created[4::-1]
    for query in ("type=rumour", "status=lost", "flag=odd", "schemaKey=Root", "schemaKey=a//b", "files="):
        refused = await owner.get(f"{PATH}?{query}")
        assert (refused.status_code, refused.json()["error"].partition(" ")[0]) == (400, query.partition("=")[0])
    assert status_and_body(await owner.get(f"{PATH}?projectId={ids.new('prj')}")) == NO_PROJECT


async def test_who_may_see_and_change_items(service: Service) -> None:
    owner = await service.owner()
    private, public = await owner.create_project(), await owner.create_project(visibility="public")
    hidden, seen = await keep_item(service, owner, private), await keep_item(service, owner, public)
    member = await service.join(owner)
    assert await _ids(member) == [seen]
    assert status_and_body(await member.get(f"{PATH}/{hidden}")) == NO_ITEM
    assert status_and_body(await member.patch(f"{PATH}/{seen}", {"title": "Mine"})) == FORBIDDEN
    assert (await owner.patch(f"/api/projects/{public}", {"status": "archived"})).status_code == 200
    for method, path, body in (
        ("PATCH", "", {"title": "Late"}),
        ("DELETE", "", None),
        ("POST", "/revert", {"version": 1}),
    ):
        assert status_and_body(await owner.call(method, f"{PATH}/{seen}{path}", body)) == ARCHIVED
    assert (await _get_item(owner, seen))["version"] == 1


async def test_edits_and_approvals_clear_review_flags(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    review_flags = ("low_confidence", "quality", "redacted", "stale")
    edited = await keep_item(service, owner, project, flags=review_flags, tier=2)
    answer = await owner.patch(f"{PATH}/{edited}", {"type": "convention", "schemaKey": "root/house"})
    after = answer.json()
    assert (after["flags"], after["tier"], after["version"], after["status"]) == (["redacted"], 1, 2, "draft")
    assert answer.headers["etag"] == (await owner.get(f"{PATH}/{edited}")).headers["etag"]
    for body, flags in (
        ({"status": "deprecated"}, [*review_flags]),
        ({"status": "approved"}, ["redacted"]),
        ({}, [*review_flags]),
    ):
        item_id = await keep_item(service, owner, project, flags=review_flags)
        assert (await owner.patch(f"{PATH}/{item_id}", body)).json()["flags"] == flags, body
    with_tier = await keep_item(service, owner, project, tier=3)
    assert (await owner.patch(f"{PATH}/{with_tier}", {"type": "bug"})).json()["tier"] == 3
    changes = await owner.get(f"{PATH}/{edited}/revisions")
    assert [(each["version"], each["change"], each["actorId"]) for each in changes.json()] == [
        (2, "edited", owner.user_id),
        (1, "created", None),
    ]


async def test_no_op_update_creates_no_revision(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project, status="approved")
    before, memory_version = await _get_item(owner, item_id), await _memory_version(service, project)
    same = {name: before[name] for name in ("title", "content", "type", "status", "schemaKey", "tier", "tags", "files")}
    for body in ({}, same, {"files": [*reversed(before["files"]), before["files"][0]]}):
        assert status_and_body(await owner.patch(f"{PATH}/{item_id}", body)) == (200, before)
    assert await _memory_version(service, project) == memory_version
    async with service.runtime.database.read() as tx:
        assert await tx.many(select(outbox.c.id)) == []
        assert await tx.many(select(items_to_embed).where(items_to_embed.c.project_id == project)) == []


async def test_item_can_be_removed_from_its_branch(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project, branch="feature/x", status="approved")
    brain = f"/api/v2/brain?projectId={project}"
    title = (await _get_item(owner, item_id))["title"]
    assert title not in (await owner.get(brain)).json()["markdown"]
    refused = await owner.patch(f"{PATH}/{item_id}", {"branch": ""})
    assert status_and_body(refused) == (400, {"error": "branch must not be empty"})
    moved = await owner.patch(f"{PATH}/{item_id}", {"branch": None})
    assert (moved.status_code, moved.json()["branch"]) == (200, None)
    assert title in (await owner.get(brain)).json()["markdown"]


@pytest.mark.settings(LOREMARK_OUTBOUND_ALLOW="127.0.0.0/8")
async def test_every_change_emits_an_event_and_updates_the_brain(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project)
    events = [event for event in WebhookEvent if event.startswith("item.")]
    hook = {"url": HOOK, "events": events, "projectId": project}
    assert (await owner.post("/api/webhooks", hook)).status_code == 201
    versions = [await _memory_version(service, project)]
    for body in ({"status": "approved"}, {"title": "New words"}, {"status": "deprecated"}, {"status": "draft"}):
        assert (await owner.patch(f"{PATH}/{item_id}", body)).status_code == 200
        versions.append(await _memory_version(service, project))
        if "title" in body:  # before the job embeds it
            async with service.runtime.database.read() as tx:
                assert [row["item_id"] for row in await tx.many(select(items_to_embed))] == [item_id]
    assert versions == [0, 1, 2, 3, 3], "only approved items are visible"
    data = {"itemId": item_id, "type": "decision", "schemaKey": "root/api/sessions"}
    assert [(each["type"], each["data"]) for each in await _deliveries(service, 4)] == [
        ("item.updated", {**data, "title": "Sessions are kept in Redis", "status": "approved"}),
        ("item.updated", {**data, "title": "New words", "status": "approved"}),
        ("item.deprecated", {**data, "title": "New words", "status": "deprecated"}),
        ("item.updated", {**data, "title": "New words", "status": "draft"}),
    ]


async def _deliveries(service: Service, count: int) -> list[dict[str, Any]]:
    """Wait for this many outbox events, in order."""
    async with asyncio.timeout(60):
        while True:
            async with service.runtime.database.read() as tx:
                rows = await tx.many(select(webhook_deliveries.c.body).order_by(webhook_deliveries.c.event_id))
            if len(rows) >= count:
                return [json.loads(row["body"]) for row in rows]
            await asyncio.sleep(0.02)


async def test_user_decision_resolves_conflicts_on_both_sides(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    a, b, c, d = [await keep_item(service, owner, project, title=title) for title in "abcd"]
    await _conflict(service, owner, project, (a, b), (a, c), (b, c), (c, d))

    async def flagged() -> set[str]:
        return set(await _ids(owner, "?flag=conflict"))

    assert (await owner.patch(f"{PATH}/{a}", {"tags": ["only a tag"]})).status_code == 200
    assert await flagged() == {a, b, c, d}
    assert (await owner.patch(f"{PATH}/{a}", {"status": "approved"})).json()["flags"] == []
    assert await flagged() == {b, c, d}
    assert (await owner.delete(f"{PATH}/{c}")).status_code == 204
    assert await flagged() == set()
    newest = (await owner.get(f"{PATH}/{b}/revisions")).json()[0]
    assert (newest["change"], newest["snapshot"]["flags"]) == ("flagged", [])
    async with service.runtime.database.read() as tx:
        assert await tx.many(select(item_conflicts).where(item_conflicts.c.resolved_at_ms.is_(None))) == []


async def test_both_sides_of_a_conflict_can_be_changed_concurrently(service: Service) -> None:
    """Each change also updates the other item, without a deadlock."""
    owner = await service.owner()
    project = await owner.create_project()
    for _ in range(3):
        a, b = await keep_item(service, owner, project), await keep_item(service, owner, project)
        await _conflict(service, owner, project, (a, b))
        answers = await asyncio.gather(
            *(owner.patch(f"{PATH}/{item_id}", {"content": f"Decided {n}"}) for item_id in (a, b) for n in range(3))
        )
        assert [answer.status_code for answer in answers] == [200] * 6
    assert await _ids(owner, "?flag=conflict") == []


async def test_second_update_with_the_same_etag_is_rejected(service: Service) -> None:
    owner = await service.owner()
    item_id = await keep_item(service, owner, await owner.create_project())
    tag = (await owner.get(f"{PATH}/{item_id}")).headers["etag"]
    answers = await asyncio.gather(
        *(owner.patch(f"{PATH}/{item_id}", {"title": f"Title {n}"}, headers={"If-Match": tag}) for n in range(5))
    )
    assert sorted(answer.status_code for answer in answers) == [200, 412, 412, 412, 412]
    assert (await _get_item(owner, item_id))["version"] == 2


@pytest.mark.own_service
async def test_files_keep_their_fingerprint(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        known = {"a.py": "1", "b.py": "2"}
        item = new_item(files=("a.py", "b.py"))
        item_id = await items.create_item(
            tx, scope, project, item, session_id=None, source_ref=None, reason="created", fingerprints=known
        )
    assert (await owner.patch(f"{PATH}/{item_id}", {"files": ["b.py", "c.py"]})).status_code == 200
    async with service.runtime.database.write() as tx:
        row = await items.lock_item(tx, scope, item_id)
        assert row is not None
        same = records.to_item(row)
        assert not await items.change_item(tx, scope, row, same, reason="x", fingerprints={"c.py": "3"})
        found = await tx.many(select(item_files.c.path, item_files.c.fingerprint).order_by(item_files.c.path))
    assert [(entry["path"], entry["fingerprint"]) for entry in found] == [("b.py", "2"), ("c.py", "3")]
    assert (await _get_item(owner, item_id))["version"] == 2


@pytest.mark.own_service
async def test_deleted_item_leaves_only_the_audit_entry(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    item_id = await keep_item(service, owner, project, status="approved")
    old = await keep_item(service, owner, project, files=())
    scope = Scope(owner.team_id)
    async with service.runtime.database.write() as tx:
        vector = {"project_id": project, "item_id": item_id, "model": "m", "team_id": scope}
        await tx.run(insert(item_vectors).values(**vector, text_hash="h", vector=b"v"))
        row = await items.lock_item(tx, scope, old)
        assert row is not None
        deprecated = dataclasses.replace(records.to_item(row), status="deprecated")
        await items.change_item(tx, scope, row, deprecated, reason="merged", superseded_by=item_id)
    assert (await owner.patch(f"{PATH}/{item_id}", {"content": "Changed"})).status_code == 200
    memory_version = await _memory_version(service, project)
    deleted = await owner.delete(f"{PATH}/{item_id}")
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert await _memory_version(service, project) == memory_version + 1
    async with service.runtime.database.read() as tx:
        for table in (item_files, item_vectors, item_conflicts, items_to_embed):
            assert await tx.many(select(table)) == [], table.name
        assert {row["record_id"] for row in await tx.many(select(revisions.c.record_id))} == {old}
        assert [row["id"] for row in await tx.many(select(items_table.c.id))] == [old]
    for method, path, body in (("GET", "", None), ("DELETE", "", None), ("GET", "/revisions", None)):
        assert status_and_body(await owner.call(method, f"{PATH}/{item_id}{path}", body)) == NO_ITEM
    entry = (await owner.get("/api/audit?action=item.deleted")).json()[0]
    assert (entry["target"], entry["projectId"], entry["details"]["title"]) == (
        item_id,
        project,
        "Sessions are kept in Redis",
    )
    remaining = await _get_item(owner, old)
    assert (remaining["status"], remaining["supersededBy"]) == ("deprecated", None)
