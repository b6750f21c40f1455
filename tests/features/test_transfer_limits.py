"""Import errors, permissions and size limits."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from loremark.base import clock, ids, limits
from loremark.base.caller import Scope
from loremark.base.plans import load_plans
from loremark.entry.runtime import open_runtime
from loremark.exchange.chunks import read_lines, split_chunks
from loremark.features.keys import store as keys
from loremark.features.metering.recount import recount_team, set_mark
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import ImportContext, import_chunk
from loremark.storage.tables import items
from loremark.wire.transfer import MAX_CHUNK_BYTES
from tests.features.exported_project import (
    create_full_project,
    created_counts,
    decode_lines,
    export,
    import_lines,
    post_import,
)
from tests.features.plan_usage import limit_reached, set_plan, write_plans
from tests.features.signed_tool import tool_for
from tests.features.steps import ARCHIVED, FORBIDDEN, NO_PROJECT, insert_projects, insert_rows, status_and_body
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio


def _line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


SESSION: dict[str, Any] = {
    "loremark": "session",
    "source": "cli",
    "status": "completed",
    "itemsExtracted": 0,
    "enrichmentModel": None,
    "lastEventAtMs": 5,
    "createdAtMs": 5,
    "completedAtMs": 5,
}


def _session(**changes: Any) -> bytes:
    return _line(**{**SESSION, "ref": ids.new("ses"), **changes})


async def test_invalid_lines_are_reported_by_number(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    good = _session()
    deep: Any = {}
    for _ in range(limits.PAYLOAD_LEVELS + 1):
        deep = {"a": deep}
    event: dict[str, Any] = {
        "loremark": "event",
        "ref": ids.new("evt"),
        "session": ids.new("ses"),
        "event": "session_save",
    }
    event |= {"enriched": False, "createdAtMs": 5}
    cases = {
        b"{": "invalid JSON",
        b"\xff\xfe": "invalid JSON",
        b'{"a":' * 100_000: "invalid JSON",
        b"[1]": "must be a JSON object",
        b'{"loremark": "cake"}': "loremark has an unknown value",
        b"{}": "loremark is required",
        _session(ref="ses_1"): "ref has an invalid format",
        _session(ref=ids.new("itm")): "ref has an invalid format",
        _session(somethingNew=1): "unknown field somethingNew",
        _session(source="a\0b"): "source has an invalid format",
        _session(createdAtMs=clock.now_ms() + 3 * clock.DAY_MS): "createdAtMs is in the future",
        _session(status="enriching"): "status has an unknown value",
        _line(loremark="session", ref=ids.new("ses")): "source is required",
        _line(loremark="export", version=2, project={}, more=1): "unsupported format version 2, expected 1",
        _line(loremark="export", project={}): "unsupported format version (none), expected 1",
        _line(**event, payload=deep): "payload is nested more than 200 levels deep",
        _line(**event, payload={"a": [[]] * 60_000}): "more than 100000 values",
        _line(**event, payload={}): "the session must come first",
    }
    for bad, message in cases.items():
        answer = await post_import(owner, project, good + b"\n" + bad)
        assert status_and_body(answer) == (400, {"error": f"line 3: {message}"})
    header = _line(loremark="export", version=1, project=decode_lines(await export(owner, project))[0]["project"])
    misplaced = await post_import(owner, project, good + header)
    assert status_and_body(misplaced) == (400, {"error": "line 2: the header must be the first line"})
    assert [line["loremark"] for line in decode_lines(await export(owner, project))] == ["export", "end"], (
        "imports are all or nothing"
    )
    assert created_counts(await import_lines(owner, project, b"\n\n")) == {}
    too_long = await post_import(owner, project, b" " * (MAX_CHUNK_BYTES + 1))
    assert status_and_body(too_long) == (413, {"error": "Request body too large"})


async def test_largest_event_fits_into_a_chunk(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    room = limits.BODY_BYTES - len('{"event": "session_save", "payload": {"text": ""}}')
    await tool.ingest(service.http, {"text": "x " * (room // 2)})
    lines = await export(owner, tool.project_id)
    target = await owner.create_project()
    await import_lines(owner, target, lines)
    assert await export(owner, target) == lines


async def test_contexts_keep_their_parents_and_form_no_cycle(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    context: dict[str, Any] = {
        "loremark": "context",
        "description": "",
        "content": "",
        "state": "draft",
        "tier": 2,
        "version": 1,
    }
    context |= {"contextType": "memory", "createdAtMs": 5, "updatedAtMs": 5}

    def line(key: str, parent: str | None) -> bytes:
        return _line(**context, ref=ids.new("ctx"), schemaKey=key, name=key, parentSchemaKey=parent)

    cycle = await post_import(owner, project, line("a", "b") + line("b", "a"))
    assert status_and_body(cycle) == (400, {"error": "line 1: the parent context must come first"})
    chain = [line(f"c{number}", f"c{number - 1}" if number else None) for number in range(limits.CONTEXT_LEVELS + 1)]
    answer = await post_import(owner, project, b"".join(chain))
    assert answer.status_code == 400
    assert "levels deep" in answer.json()["error"]
    await import_lines(owner, project, b"".join(chain[:-1]))
    lines = await export(owner, project)
    target = await owner.create_project()
    await import_lines(owner, target, lines)
    assert await export(owner, target) == lines


async def test_permissions(service: Service) -> None:
    memory = await create_full_project(service)
    owner, project = memory.owner, memory.tool.project_id
    lines = await export(owner, project)
    member, stranger = await service.join(owner), await service.owner("Strangers")
    assert status_and_body(await stranger.get(f"/api/v2/export?projectId={project}")) == NO_PROJECT
    assert status_and_body(await post_import(stranger, project, lines)) == NO_PROJECT
    assert status_and_body(await member.get(f"/api/v2/export?projectId={project}")) == NO_PROJECT
    await owner.post(f"/api/projects/{project}/members", {"email": member.email})
    assert await export(member, project) == lines
    assert status_and_body(await post_import(member, project, lines)) == FORBIDDEN
    await owner.patch(f"/api/projects/{project}", {"status": "archived"})
    assert status_and_body(await post_import(owner, project, lines)) == ARCHIVED
    assert await export(owner, project) == lines, "archived projects can be exported"


@pytest.fixture
async def metered(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    plans = {"team": {}, "events2": {"events": 2}, "sessions0": {"sessions": 0}, "bytes100": {"storage_bytes": 100}}
    settings = settings_for(tmp_path, database_url, LOREMARK_PLANS_FILE=write_plans(tmp_path, **plans))
    async with run_service(settings) as running:
        yield running


async def test_import_respects_plan_limits(metered: Service) -> None:
    memory = await create_full_project(metered)
    lines = await export(memory.owner, memory.tool.project_id)
    target = await metered.owner("Small")
    project = await target.create_project()
    for plan, counter in (("events2", "events"), ("sessions0", "sessions"), ("bytes100", "storage")):
        await set_plan(metered, target.team_id, plan)
        assert status_and_body(await post_import(target, project, lines)) == limit_reached(counter)
    assert await recount_team(metered.runtime.database, Scope(target.team_id), set_mark()) == []
    await set_plan(metered, target.team_id, "team")
    await import_lines(target, project, lines)
    await set_plan(metered, target.team_id, "events2")
    assert created_counts(await import_lines(target, project, lines)) == {}, "existing records need no quota"


@pytest.mark.slow
async def test_large_transfer_uses_little_memory(database_url: str, tmp_path: Path) -> None:
    async with open_runtime(settings_for(tmp_path, database_url)) as runtime:
        service = Service(runtime, None, None)  # type: ignore[arg-type]  # no background jobs
        owner = await service.owner()
        async with runtime.database.read() as tx:
            caller = await keys.find_by_key(tx, owner.key, "")
        assert caller is not None
        project, target = await insert_projects(service, owner.team_id, 2)
        now_ms, text = clock.now_ms(), "The queue is drained by one worker. " * 10
        shared: dict[str, Any] = {
            "team_id": owner.team_id,
            "project_id": project,
            "type": "decision",
            "schema_key": "root/api",
        }
        shared |= {"status": "approved", "confidence": 0.9, "tier": 2, "tags": "[]", "evidence": "[]", "flags": "[]"}
        rows = [
            {**shared, "id": ids.new("itm"), "title": f"Item {number}", "content": f"{number} {text}"}
            for number in range(10_000)
        ]
        more = {"merged_from": "[]", "token_count": 5, "version": 1, "content_hash": "x"}
        more |= {"created_at_ms": now_ms, "updated_at_ms": now_ms}
        await insert_rows(service, items, [{**row, **more} for row in rows])
        del rows
        scope, import_context = (
            Scope(owner.team_id),
            ImportContext(runtime.database, runtime.blobs, load_plans("team"), RepoHosts(())),
        )
        file = tmp_path / "whole.jsonl"
        tracemalloc.start()
        with file.open("wb") as output:
            async for piece in export_project(runtime.database, runtime.blobs, scope, project):
                output.write(piece)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert file.stat().st_size > 7_000_000
        assert peak < 4_000_000, f"{peak / 1e6:.0f} MB"
        with file.open("rb") as lines:
            for _, chunk in split_chunks(read_lines(lines), 2_000_000):
                await import_chunk(import_context, caller, target, chunk, dry_run=False, keep_reviews=True)
        digest = hashlib.sha256()
        async for piece in export_project(runtime.database, runtime.blobs, scope, target):
            digest.update(piece)
        assert digest.hexdigest() == hashlib.sha256(file.read_bytes()).hexdigest()
