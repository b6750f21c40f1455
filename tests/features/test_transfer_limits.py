"""What an import refuses, and how much an export may be."""

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
from loremark.entry.house import open_house
from loremark.exchange.chunks import chunks, read_lines
from loremark.features.keys import store as keys
from loremark.features.metering.recount import recount_team, set_mark
from loremark.features.projects.repository import RepoHosts
from loremark.features.transfer.exporting import export_project
from loremark.features.transfer.service import Kit, import_chunk
from loremark.storage.tables import items
from loremark.wire.transfer import CHUNK_MOST_BYTES
from tests.features.carried import bring, decoded, export, made, rich_project, send
from tests.features.metered import refused, set_plan, write_plans
from tests.features.signed import tool_for
from tests.features.world import ARCHIVED, FORBIDDEN, NO_PROJECT, insert_projects, insert_rows, told
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
    "lastEventMs": 5,
    "createdAtMs": 5,
    "completedAtMs": 5,
}


def _session(**changes: Any) -> bytes:
    return _line(**{**SESSION, "ref": ids.new("ses"), **changes})


async def test_a_line_that_cannot_be_read_is_named_by_its_number(service: Service) -> None:
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
        b"{": "it is not valid JSON",
        b"\xff\xfe": "it is not valid JSON",
        b'{"a":' * 100_000: "it is not valid JSON",
        b"[1]": "it must be an object",
        b'{"loremark": "cake"}': "loremark has a value that is not known here",
        b"{}": "loremark is required",
        _session(ref="ses_1"): "ref has an invalid form",
        _session(ref=ids.new("itm")): "ref has an invalid form",
        _session(somethingNew=1): "the field somethingNew is not known here",
        _session(source="a\0b"): "source has an invalid form",
        _session(createdAtMs=clock.now_ms() + 3 * clock.DAY_MS): "createdAtMs is in the future",
        _session(status="enriching"): "status has a value that is not known here",
        _line(loremark="session", ref=ids.new("ses")): "source is required",
        _line(loremark="export", version=2, project={}, more=1): "version 2 of the format is not known here, only 1",
        _line(loremark="export", project={}): "version (none) of the format is not known here, only 1",
        _line(**event, payload=deep): "payload is nested more than 200 times",
        _line(**event, payload={"a": [[]] * 60_000}): "it holds more than 100000 values",
        _line(**event, payload={}): "its session must come before it",
    }
    for bad, sentence in cases.items():
        answer = await send(owner, project, good + b"\n" + bad)
        assert told(answer) == (400, {"error": f"line 3: {sentence}"})
    header = _line(loremark="export", version=1, project=decoded(await export(owner, project))[0]["project"])
    late = await send(owner, project, good + header)
    assert told(late) == (400, {"error": "line 2: the line that says what it is must be the first"})
    assert [line["loremark"] for line in decoded(await export(owner, project))] == ["export", "end"], "all or nothing"
    assert made(await bring(owner, project, b"\n\n")) == {}
    too_long = await send(owner, project, b" " * (CHUNK_MOST_BYTES + 1))
    assert told(too_long) == (413, {"error": "Request body too large"})


async def test_the_largest_event_fits_into_a_chunk(service: Service) -> None:
    owner = await service.owner()
    tool = await tool_for(owner)
    room = limits.BODY_BYTES - len('{"event": "session_save", "payload": {"text": ""}}')
    await tool.keep(service.http, {"text": "x " * (room // 2)})
    lines = await export(owner, tool.project_id)
    there = await owner.create_project()
    await bring(owner, there, lines)
    assert await export(owner, there) == lines


async def test_contexts_hang_where_they_hung_and_never_in_a_circle(service: Service) -> None:
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
        return _line(**context, ref=ids.new("ctx"), schemaKey=key, name=key, parent=parent)

    circle = await send(owner, project, line("a", "b") + line("b", "a"))
    assert told(circle) == (400, {"error": "line 1: its parent must come before it"})
    chain = [line(f"c{number}", f"c{number - 1}" if number else None) for number in range(limits.CONTEXT_LEVELS + 1)]
    answer = await send(owner, project, b"".join(chain))
    assert answer.status_code == 400
    assert "levels deep" in answer.json()["error"]
    await bring(owner, project, b"".join(chain[:-1]))
    lines = await export(owner, project)
    there = await owner.create_project()
    await bring(owner, there, lines)
    assert await export(owner, there) == lines


async def test_who_may(service: Service) -> None:
    memory = await rich_project(service)
    owner, project = memory.owner, memory.tool.project_id
    lines = await export(owner, project)
    member, stranger = await service.join(owner), await service.owner("Strangers")
    assert told(await stranger.get(f"/api/v2/export?projectId={project}")) == NO_PROJECT
    assert told(await send(stranger, project, lines)) == NO_PROJECT
    assert told(await member.get(f"/api/v2/export?projectId={project}")) == NO_PROJECT
    await owner.post(f"/api/projects/{project}/members", {"email": member.email})
    assert await export(member, project) == lines
    assert told(await send(member, project, lines)) == FORBIDDEN
    await owner.patch(f"/api/projects/{project}", {"status": "archived"})
    assert told(await send(owner, project, lines)) == ARCHIVED
    assert await export(owner, project) == lines, "an archive can be taken away"


@pytest.fixture
async def metered(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    plans = {"team": {}, "events2": {"events": 2}, "sessions0": {"sessions": 0}, "bytes100": {"storage_bytes": 100}}
    chosen = settings_for(tmp_path, database_url, LOREMARK_PLANS_FILE=write_plans(tmp_path, **plans))
    async with run_service(chosen) as running:
        yield running


async def test_the_plan_counts_what_is_imported(metered: Service) -> None:
    memory = await rich_project(metered)
    lines = await export(memory.owner, memory.tool.project_id)
    there = await metered.owner("Small")
    project = await there.create_project()
    for plan, counter in (("events2", "events"), ("sessions0", "sessions"), ("bytes100", "storage")):
        await set_plan(metered, there.team_id, plan)
        assert told(await send(there, project, lines)) == refused(counter)
    assert await recount_team(metered.house.database, Scope(there.team_id), set_mark()) == []
    await set_plan(metered, there.team_id, "team")
    await bring(there, project, lines)
    await set_plan(metered, there.team_id, "events2")
    assert made(await bring(there, project, lines)) == {}, "what is there already needs no room"


@pytest.mark.slow
async def test_ten_thousand_items_take_little_memory_on_their_way(database_url: str, tmp_path: Path) -> None:
    async with open_house(settings_for(tmp_path, database_url)) as house:
        service = Service(house, None, None)  # type: ignore[arg-type]  # nothing runs beside it
        owner = await service.owner()
        async with house.database.read() as tx:
            caller = await keys.find_by_key(tx, owner.key)
        assert caller is not None
        project, there = await insert_projects(service, owner.team_id, 2)
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
        scope, kit = Scope(owner.team_id), Kit(house.database, house.blobs, load_plans("team"), RepoHosts(()))
        file = tmp_path / "whole.jsonl"
        tracemalloc.start()
        with file.open("wb") as whole:
            async for piece in export_project(house.database, house.blobs, scope, project):
                whole.write(piece)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert file.stat().st_size > 7_000_000
        assert peak < 4_000_000, f"{peak / 1e6:.0f} MB"
        with file.open("rb") as lines:
            for _, chunk in chunks(read_lines(lines), 2_000_000):
                await import_chunk(kit, caller, there, chunk, dry_run=False)
        again = hashlib.sha256()
        async for piece in export_project(house.database, house.blobs, scope, there):
            again.update(piece)
        assert again.hexdigest() == hashlib.sha256(file.read_bytes()).hexdigest()
