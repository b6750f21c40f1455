"""Export and import of projects: round trips, repeated chunks and consistency."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from sqlalchemy import select, update

from loremark.base import clock, ids
from loremark.base.caller import Scope
from loremark.features.enrichment.jobs import Reembed
from loremark.features.metering.recount import recount_team, set_mark
from loremark.features.transfer import exporting
from loremark.features.transfer.refs import ALPHABET, Refs
from loremark.storage.tables import events, items, items_to_embed, sessions
from tests.contract.examples_memory import keep_item
from tests.features.exported_project import (
    count_events,
    create_full_project,
    created_counts,
    decode_lines,
    export,
    import_lines,
    post_import,
)
from tests.features.plan_usage import read_counters
from tests.features.signed_tool import events_of, sessions_of, tool_for
from tests.features.steps import status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

KEPT = "&keepReviews=true"


def test_refs_convert_back_to_ids() -> None:
    assert ALPHABET == ids._ALPHABET
    one, other = Refs(ids.new("prj")), Refs(ids.new("prj"))
    for _ in range(50):
        before = ids.new("itm")
        ref = one.swap(before)
        target = other.swap(ref)
        assert len({before, ref, target}) == 3
        assert one.swap(other.swap(target)) == before
        assert abs(ids.created_at_ms(ref) - clock.now_ms()) < 60_000
    for other_text in ("", "evt_1", "api", "itm_" + "u" * 26, "ITM_" + "0" * 26):
        assert one.swap(other_text) == other_text
    assert one.swap(None) is None


async def _embed_all(service: Service, project: str) -> None:
    """Wait until every item of the project has a vector."""
    embed: Any = Reembed(service.runtime.database, service.runtime.engines.embedder)
    while await embed._embed_batch():
        pass
    async with service.runtime.database.read() as tx:
        assert await tx.many(select(items_to_embed).where(items_to_embed.c.project_id == project)) == []


async def test_imported_project_exports_to_the_same_bytes(service: Service) -> None:
    memory = await create_full_project(service)
    target = await service.owner("Elsewhere")
    project = await target.create_project("Empty")
    first = await export(memory.owner, memory.tool.project_id)
    assert first == await export(memory.owner, memory.tool.project_id)
    for secret in (memory.tool.secret, memory.tool.project_id, memory.owner.user_id, memory.owner.email):
        assert secret.encode() not in first
    lines = decode_lines(first)
    assert lines[0]["loremark"] == "export"
    assert lines[0]["version"] == 1
    assert {line["loremark"] for line in lines[1:]} == {"context", "session", "event", "item", "revision", "end"}
    quoted = [each for line in lines if line["loremark"] == "item" for each in line["evidence"]]
    assert {each.get("commit") for each in quoted} == {None, "a1" * 20}

    dry_run = await import_lines(target, project, first, "&dryRun=true")
    assert dry_run["dryRun"] is True
    assert await export(target, project) == b"".join(await _empty_export(target, project))
    done = await import_lines(target, project, first, KEPT)
    assert (
        created_counts(done)
        == created_counts(dry_run)
        == {name: count for name, count in lines[-1].items() if name != "loremark"}
    )
    assert done["redacted"] == 0
    assert await export(target, project) == first, "the same bytes"

    again = await import_lines(target, project, first, KEPT)
    assert created_counts(again) == {}
    assert again["skipped"] == done["created"]
    assert await export(target, project) == first
    assert created_counts(await import_lines(memory.owner, memory.tool.project_id, first)) == {}, (
        "importing into the source project changes nothing"
    )
    assert await export(memory.owner, memory.tool.project_id) == first


async def _empty_export(person: Person, project: str) -> list[bytes]:
    lines = (await export(person, project)).splitlines(keepends=True)
    assert [json.loads(line)["loremark"] for line in lines] == ["export", "end"]
    return lines


@pytest.mark.both_engines
@pytest.mark.parametrize("kept", [False, True])
async def test_a_file_cannot_say_that_its_texts_were_reviewed_here(service: Service, kept: bool) -> None:
    owner = await service.owner()
    project, target = await owner.create_project("Theirs"), await owner.create_project("Ours")
    item_id = await keep_item(service, owner, project, title="Push to main", content="Nobody reviews.", status="draft")
    for status in ("approved", "draft"):
        await owner.patch(f"/api/v2/items/{item_id}", {"status": status})
    body = {"name": "Rules", "schemaKey": "root/rules", "content": "Push to main.", "projectId": project}
    context = (await owner.post("/api/contexts", body)).json()["id"]
    await owner.post(f"/api/contexts/{context}/approve", {"action": "approve"})
    claims = decode_lines(await export(owner, project))
    for line in claims:
        if line["loremark"] == "item":
            line |= {"status": "approved", "reviewed": True, "confidence": 1.0}
    forged = b"\n".join(json.dumps(line).encode() for line in claims)
    await import_lines(owner, target, forged, KEPT if kept else "")
    (item,) = (await owner.get(f"/api/v2/items?projectId={target}")).json()
    (rules,) = (await owner.get(f"/api/contexts?projectId={target}")).json()
    assert (item["status"], item["reviewed"], rules["state"]) == ("approved", kept, "approved" if kept else "draft")
    brain = (await owner.get(f"/api/v2/brain?projectId={target}")).json()["markdown"]
    assert ("unreviewed, from " in brain, "Rules" in brain) == (not kept, kept)
    reverted = (await owner.post(f"/api/v2/items/{item['id']}/revert", {"version": 2})).json()
    assert (reverted["status"], reverted["reviewed"]) == ("approved", kept)
    await owner.post(f"/api/contexts/{rules['id']}/revert", {"version": 2})
    assert (await owner.get(f"/api/contexts/{rules['id']}")).json()["state"] == ("approved" if kept else "draft")


async def test_imported_items_are_searchable_and_revertible(service: Service) -> None:
    memory = await create_full_project(service)
    target = await service.owner("Elsewhere")
    project = await target.create_project("Empty")
    await import_lines(target, project, await export(memory.owner, memory.tool.project_id))
    await _embed_all(service, project)
    found = (await target.get(f"/api/v2/search?projectId={project}&q=where+do+jobs+run")).json()
    assert "New way" in [entry["title"] for entry in found["results"]]
    brain = await target.get(f"/api/v2/brain?projectId={project}")
    assert "Jobs run in the queue." in brain.text
    listed = {item["title"]: item for item in (await target.get(f"/api/v2/items?projectId={project}")).json()}
    old, new = listed["Old way"], listed["New way"]
    assert (old["status"], old["supersededBy"], old["branch"]) == ("deprecated", new["id"], "old")
    assert new["files"] == ["src/api.py", "src/sessions.py"]
    history = (await target.get(f"/api/v2/items/{old['id']}/revisions")).json()
    assert [revision["change"] for revision in history] == ["deprecated", "merged", "created"]
    assert {revision["actorId"] for revision in history} == {None}
    reverted = await target.post(f"/api/v2/items/{old['id']}/revert", {"version": 1})
    assert (reverted.status_code, reverted.json()["status"]) == (200, "draft")
    with_events = [entry for entry in await sessions_of(target, project) if entry["eventCount"]]
    assert sum(entry["eventCount"] for entry in with_events) == 3
    payloads = [
        event["payload"] for entry in with_events for event in await events_of(target, entry["id"], "?blobs=inline")
    ]
    assert any(payload.get("$blob") == "not ours" for payload in payloads)
    assert any(len(payload.get("summary", "")) > 10_000 for payload in payloads)
    audit = (await target.get("/api/audit")).json()
    assert audit[0]["action"] in {"project.imported", "item.reverted"}


async def test_import_counts_usage(service: Service) -> None:
    memory = await create_full_project(service)
    target = await service.owner("Elsewhere")
    project = await target.create_project("Empty")
    lines = await export(memory.owner, memory.tool.project_id)
    await asyncio.gather(*(import_lines(target, project, lines) for _ in range(3)))
    assert await recount_team(service.runtime.database, Scope(target.team_id), set_mark()) == []
    assert (await read_counters(service.runtime.database, target.team_id))["events"] == 3
    old_ms = clock.now_ms() - 90 * clock.DAY_MS
    async with service.runtime.database.write() as tx:
        for table in (events, sessions):
            from_source = table.c.project_id == memory.tool.project_id
            done: dict[str, Any] = {"enriched_by": "job"} if table is events else {"status": "completed"}
            await tx.run(update(table).where(from_source).values(created_at_ms=old_ms, **done))
    later = await target.create_project("Of the past")
    await import_lines(target, later, await export(memory.owner, memory.tool.project_id))
    assert (await read_counters(service.runtime.database, target.team_id))["events"] == 3, (
        "finished work from another month is not counted"
    )
    assert await recount_team(service.runtime.database, Scope(target.team_id), set_mark()) == []


async def test_chunks_can_be_split_anywhere_and_repeated(service: Service) -> None:
    memory = await create_full_project(service)
    target = await service.owner("Elsewhere")
    project = await target.create_project("Empty")
    full = await export(memory.owner, memory.tool.project_id)
    lines = full.splitlines(keepends=True)
    for start in range(0, len(lines), 3):
        chunk = b"".join(lines[start : start + 3])
        await import_lines(target, project, chunk, KEPT)
        if start % 2:
            assert created_counts(await import_lines(target, project, chunk, KEPT)) == {}
    await import_lines(target, project, b"".join(lines[: len(lines) // 2]), KEPT)
    assert await export(target, project) == full


async def test_import_adds_only_missing_records(service: Service) -> None:
    memory = await create_full_project(service)
    owner, project = memory.owner, memory.tool.project_id
    before = await export(owner, project)
    other = await tool_for(owner)
    own_item = await keep_item(service, owner, other.project_id, title="Their own", content="It stays.")
    own = {"name": "Mine", "schemaKey": "root/api", "content": "mine", "projectId": other.project_id}
    assert (await owner.post("/api/contexts", own)).status_code == 201
    same = {"$blob": "not ours", "deep": {"$$blob": [1, 2.5, None, True]}, "big": 2**53}
    await other.ingest(service.http, same)
    done = await import_lines(owner, other.project_id, before)
    assert (done["skipped"]["contexts"], done["skipped"]["events"]) == (1, 1)
    tree = {context["schemaKey"]: context["name"] for context in await _contexts(owner, other.project_id)}
    assert tree == {"root": "Root", "root/api": "Mine"}
    assert (await owner.get(f"/api/v2/items/{own_item}")).json()["content"] == "It stays."
    assert (await owner.get(f"/api/projects/{other.project_id}")).json()["name"] == "Loremark"
    assert await count_events(service, other.project_id) == 3
    # Deleted records are restored; changed ones are kept.
    listed = (await owner.get(f"/api/v2/items?projectId={project}")).json()
    deleted, changed = [item["id"] for item in listed if item["title"] in ("Other way", "New way")]
    await owner.delete(f"/api/v2/items/{deleted}")
    await owner.patch(f"/api/v2/items/{changed}", {"content": "Changed since."})
    restored = await import_lines(owner, project, before)
    assert restored["created"]["items"] == 1
    assert (await owner.get(f"/api/v2/items/{deleted}")).status_code == 200
    assert (await owner.get(f"/api/v2/items/{changed}")).json()["content"] == "Changed since."


async def _contexts(person: Person, project: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (await person.get(f"/api/contexts?projectId={project}")).json()
    return listed


async def test_secrets_are_redacted_on_export_and_import(service: Service) -> None:
    memory = await create_full_project(service)
    owner, project = memory.owner, memory.tool.project_id
    secret = "AKIA" + "QX7ZK3MPL5TRW2VN"
    await memory.send({"summary": f"the key is {secret}", "env": [{"name": "API_KEY", "value": "x9Kd83jsSka0w1"}]})
    await keep_item(service, owner, project, title="Bucket", content=f"Written with {secret}.")
    target = await owner.create_project("Clean")
    lines = await export(owner, project)
    assert secret.encode() not in lines
    await import_lines(owner, target, lines, KEPT)
    assert await export(owner, target) == lines
    dirty = lines.replace(b"Jobs run in the queue.", f"Jobs run with {secret}.".encode())
    second_target = await owner.create_project("Dirty")
    assert (await import_lines(owner, second_target, dirty))["redacted"] > 0
    listed = {item["title"]: item for item in (await owner.get(f"/api/v2/items?projectId={second_target}")).json()}
    assert secret not in listed["New way"]["content"]
    assert "redacted" in listed["New way"]["flags"]


async def test_unusual_texts_round_trip(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    unusual = [
        "",
        "\u2028\u2029\u0085",
        "a\r\nb\tc\u000b",
        "😀" * 3_000,
        '\\u0000 \\ " </script>',
        "\ufeffé\u0301",
        "\x7f",
    ]
    payload = {
        "texts": unusual,
        "nul": "a\u0000b",
        "nested": [[[{"": {"$blob": 1}}]]],
        "big": [2**63, -(2**63), 1e300, 0.1],
    }
    await tool.ingest(service.http, payload)
    for number, text in enumerate(unusual):
        fields = {
            "title": f"T{number}",
            "content": text,
            "files": (f"src/ü {number} 😀.py",),
            "tags": ("ß", text[:20] or "-"),
        }
        await keep_item(service, owner, tool.project_id, **fields)
    target = await owner.create_project("Awkward")
    lines = await export(owner, tool.project_id)
    await import_lines(owner, target, lines)
    assert await export(owner, target) == lines
    imported = {
        item["title"]: item["content"] for item in (await owner.get(f"/api/v2/items?projectId={target}")).json()
    }
    assert imported == {f"T{number}": text for number, text in enumerate(unusual)}


async def test_records_with_the_same_time_keep_their_order(service: Service) -> None:
    """Ids with the same time sort differently in every project."""
    owner = await service.owner()
    tool = await tool_for(owner)
    now_ms = clock.now_ms()
    with clock.use(lambda: now_ms):
        for number in range(12):
            await tool.ingest(service.http, {"n": number})
            await keep_item(service, owner, tool.project_id, title=f"Same {number % 2}", content="Word for word.")
    lines = await export(owner, tool.project_id)
    for _ in range(3):
        target = await owner.create_project("Same")
        await import_lines(owner, target, lines)
        assert await export(owner, target) == lines


async def test_export_is_a_consistent_snapshot(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change during the export is included completely or not at all."""
    memory = await create_full_project(service)
    before = await export(memory.owner, memory.tool.project_id)
    runtime = service.runtime
    chunks = exporting.export_project(
        runtime.database, runtime.blobs, Scope(memory.owner.team_id), memory.tool.project_id
    )
    received = bytearray()
    monkeypatch.setattr(exporting, "_CHUNK_BYTES", 1)
    async for chunk in chunks:
        received += chunk
        if len(received) == len(chunk):
            item = (await memory.items())[0]
            await memory.owner.patch(f"/api/v2/items/{item['id']}", {"content": "Changed meanwhile."})
            await memory.send({"late": True})
    assert bytes(received) == before
    assert b"Changed meanwhile." in await export(memory.owner, memory.tool.project_id)


async def test_ids_of_other_projects_are_refused(service: Service) -> None:
    """A ref can be crafted for any id, so its project is checked."""
    memory = await create_full_project(service)
    lines = (await export(memory.owner, memory.tool.project_id)).splitlines(keepends=True)
    foreign_item = (await memory.items())[0]["id"]
    async with service.runtime.database.read() as tx:
        session = (await tx.many(select(sessions.c.id).where(sessions.c.project_id == memory.tool.project_id)))[0]["id"]
    stranger = await service.owner("Strangers")
    project = await stranger.create_project()
    refs = Refs(project)
    by_kind = {json.loads(line)["loremark"]: json.loads(line) for line in lines}
    item, event = by_kind["item"], by_kind["event"]
    refused = (400, {"error": "line 1: refers to a record of another project"})
    for changed in (
        {**item, "ref": refs.swap(foreign_item)},
        {**item, "supersededBy": refs.swap(foreign_item)},
        {**item, "mergedFrom": [refs.swap(foreign_item)]},
        {**item, "session": refs.swap(session)},
        {**event, "session": refs.swap(session)},
        {**by_kind["session"], "ref": refs.swap(session)},
    ):
        assert status_and_body(await post_import(stranger, project, json.dumps(changed).encode())) == refused
    async with service.runtime.database.read() as tx:
        assert await tx.many(select(items.c.id).where(items.c.project_id == project)) == []
