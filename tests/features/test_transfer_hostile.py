"""Malicious import files cannot harm the project or others."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import update

from loremark.base import clock, ids, limits
from loremark.base.caller import Scope
from loremark.features.metering.recount import recount_team, set_mark
from loremark.memory.items import Quote
from loremark.memory.merging import MAX_EVIDENCE
from loremark.storage.tables import items, sessions
from loremark.wire.transfer import QUOTES
from tests.contract.examples_memory import keep_item
from tests.features.exported_project import created_counts, decode_lines, export, import_lines, post_import
from tests.features.plan_usage import limit_reached, read_counters, set_plan, write_plans
from tests.features.signed_tool import tool_for
from tests.features.steps import status_and_body
from tests.support.service import Service, run_service, settings_for

pytestmark = pytest.mark.anyio

SECRET = "ghp_" + "a1B2" * 9
ITEM: dict[str, Any] = {
    "loremark": "item",
    "title": "Use Redis",
    "content": "It is fast.",
    "type": "decision",
    "schemaKey": "root/api",
    "status": "approved",
    "confidence": 0.9,
    "files": [],
    "tags": [],
    "evidence": [],
    "flags": [],
    "tier": 2,
    "branch": None,
    "mergedFrom": [],
    "supersededBy": None,
    "session": None,
    "sourceRef": None,
    "mergedAtMs": None,
    "fingerprints": {},
    "conflicts": [],
    "version": 1,
    "createdAtMs": 5,
    "updatedAtMs": 5,
}
SNAPSHOT = {name: ITEM[name] for name in list(ITEM)[1:15]}


def _line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def _item(**changes: Any) -> bytes:
    return _line(**{**ITEM, "ref": ids.new("itm"), **changes})


def _session(**changes: Any) -> dict[str, Any]:
    session: dict[str, Any] = {
        "loremark": "session",
        "ref": ids.new("ses"),
        "source": "cli",
        "status": "completed",
        "itemsExtracted": 0,
    }
    return session | {"enrichmentModel": None, "lastEventAtMs": 5, "createdAtMs": 5, "completedAtMs": 5} | changes


def _event(session: dict[str, Any], **changes: Any) -> dict[str, Any]:
    event: dict[str, Any] = {
        "loremark": "event",
        "ref": ids.new("evt"),
        "session": session["ref"],
        "event": "session_save",
    }
    return event | {"payload": {"mark": ids.new("evt")}, "enriched": False, "createdAtMs": 5} | changes


async def test_future_timestamps_are_refused(service: Service) -> None:
    """A future timestamp would sort first forever, and a far one would break the brain."""
    owner = await service.owner()
    project = await owner.create_project()
    context: dict[str, Any] = {
        "loremark": "context",
        "ref": ids.new("ctx"),
        "name": "A",
        "schemaKey": "root",
        "parentSchemaKey": None,
    }
    context |= {"description": "", "content": "", "state": "approved", "tier": 2, "contextType": "memory", "version": 1}
    revision: dict[str, Any] = {
        "loremark": "revision",
        "kind": "item",
        "ref": ids.new("itm"),
        "version": 1,
        "change": "created",
    }
    for future in (2**47, clock.now_ms() + 3 * clock.DAY_MS):
        conflict = {"item": ids.new("itm"), "reason": "", "detectedAtMs": future}
        for field, line in {
            "updatedAtMs": _item(updatedAtMs=future),
            "mergedAtMs": _item(mergedAtMs=future),
            "detectedAtMs": _item(conflicts=[conflict]),
            "lastEventAtMs": _line(**_session(lastEventAtMs=future)),
            "completedAtMs": _line(**_session(completedAtMs=future)),
            "createdAtMs": _line(**revision, snapshot=SNAPSHOT, createdAtMs=future),
            "updatedAtMs ": _line(**context, createdAtMs=5, updatedAtMs=future),
        }.items():
            answer = await post_import(owner, project, line)
            assert status_and_body(answer) == (400, {"error": f"line 1: {field.strip()} is in the future"})
    await import_lines(owner, project, _item(updatedAtMs=clock.now_ms()))
    assert "Use Redis" in (await owner.get(f"/api/v2/brain?projectId={project}")).text


async def test_field_limits_apply_to_imports(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    assert QUOTES == MAX_EVIDENCE
    quote = {"event": ids.new("evt"), "quote": "q"}
    for field, value in (
        ("title", "x" * (limits.ITEM_TITLE_CHARS + 1)),
        ("content", "x" * (limits.CONTENT_CHARS + 1)),
        ("tags", ["x"] * (limits.ITEM_TAGS + 1)),
        ("tags", ["x" * 1_900]),
        ("files", ["a.py"] * (limits.ITEM_FILES + 1)),
        ("files", ["a\x1b[2Jb"]),
        ("files", ["x" * (limits.FILE_PATH_CHARS + 1)]),
        ("branch", "x" * (limits.BRANCH_CHARS + 1)),
        ("evidence", [quote] * (QUOTES + 1)),
        ("evidence", [{**quote, "quote": "x" * 2_001}]),
        ("sourceRef", "x" * 201),
        ("version", 2**31),
    ):
        for line in (_item(**{field: value}), _revision(field, value)):
            answer = await post_import(owner, project, line)
            assert answer.status_code == 400, field
            assert field in answer.json()["error"]
    assert [line["loremark"] for line in decode_lines(await export(owner, project))] == ["export", "end"]


def _revision(field: str, value: Any) -> bytes:
    snapshot = {**SNAPSHOT, field: value}
    version = value if field == "version" else 1
    return _line(
        loremark="revision",
        kind="item",
        ref=ids.new("itm"),
        version=version,
        change="created",
        snapshot=snapshot,
        createdAtMs=5,
    )


async def test_import_sanitizes_every_text(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project()
    session = _session(source=f"cli\x1b[31m {SECRET}", enrichmentModel=f"model\u202e {SECRET}")
    item = _item(
        title=f"Use\u202e Redis \x1b[2J{SECRET}",
        tags=[f"\u202e\x1b[31mred {SECRET}", "\u00ad", "plain"],
        branch=f"feature/{SECRET}\x07",
        files=[
            "../../etc/passwd",
            "/etc/passwd",
            "C:\\boot.ini",
            "a/../../b",
            "src/..",
            f"src/{SECRET}.py",
            "src/a.py",
        ],
        fingerprints={"src/a.py": "git:abc"},
        sourceRef=f"ref {SECRET}",
    )
    done = await import_lines(owner, project, _line(**session) + item)
    assert done["redacted"] >= 7
    (stored,) = (await owner.get(f"/api/v2/items?projectId={project}")).json()
    (listed,) = (await owner.get(f"/api/v2/sessions?projectId={project}")).json()
    shown = json.dumps([stored, listed], ensure_ascii=False)
    assert SECRET not in shown
    assert not [letter for letter in ("\x1b", "\x07", "\u202e", "\u00ad") if letter in shown]
    assert stored["tags"][1:] == ["plain"]
    assert [path for path in stored["files"] if "redacted" not in path] == ["src/a.py"]
    assert "redacted" in stored["flags"]
    first = await export(owner, project)
    assert b'"git:abc"' in first
    target = await owner.create_project("There")
    await import_lines(owner, target, first)
    assert await export(owner, target) == first


async def test_export_sanitizes_every_text(service: Service) -> None:
    """For rows written by older versions or other means, at their maximum lengths."""
    owner = await service.owner()
    tool = await tool_for(owner)
    accepted = await tool.ingest(service.http, {"summary": "we keep sessions in Redis"})
    quotes = (Quote(accepted["eventId"], f"we keep {SECRET}"), Quote(ids.new("evt"), "never said"))
    item = await keep_item(
        service,
        owner,
        tool.project_id,
        title=f"{'Long ' * 32}{SECRET}",
        content=f"{'x ' * (limits.CONTENT_CHARS // 2 - 20)}{SECRET}",
        tags=(f"\x1b[31m{SECRET}", "x" * 60),
        files=("../up.py", "src/a.py"),
        branch=f"b/{SECRET}",
        evidence=quotes,
    )
    async with service.runtime.database.write() as tx:
        await tx.run(update(items).where(items.c.id == item).values(source_ref=f"{SECRET}\x1b"))
        of_project = sessions.c.project_id == tool.project_id
        await tx.run(update(sessions).where(of_project).values(source=f"\u202e{SECRET}", enrichment_model=SECRET))
    lines = await export(owner, tool.project_id)
    assert SECRET.encode() not in lines
    assert b"\\u001b" not in lines
    (line,) = [line for line in decode_lines(lines) if line["loremark"] == "item"]
    assert (line["files"], line["tags"][1]) == (["src/a.py"], "x" * 60)
    assert len(line["evidence"]) == 1, "a quote from a missing event is not evidence"
    target = await owner.create_project("There")
    await import_lines(owner, target, lines)
    assert await export(owner, target) == lines


async def test_evidence_must_refer_to_events_of_the_project(service: Service) -> None:
    owner, stranger = await service.owner(), await service.owner("Strangers")
    project, theirs = await owner.create_project(), await tool_for(stranger)
    foreign = (await theirs.ingest(service.http, {"summary": "theirs"}))["eventId"]
    session = _session()
    event = _event(session)
    quotes = [{"event": ref, "quote": "so it was said"} for ref in (event["ref"], ids.new("evt"), foreign, "api")]
    item = {**ITEM, "ref": ids.new("itm"), "evidence": quotes}
    revision: dict[str, Any] = {
        "loremark": "revision",
        "kind": "item",
        "ref": item["ref"],
        "version": 1,
        "change": "created",
    }
    lines = [session, event, item, {**revision, "snapshot": {**SNAPSHOT, "evidence": quotes}, "createdAtMs": 5}]
    await import_lines(owner, project, b"".join(_line(**line) for line in lines))
    (stored,) = (await owner.get(f"/api/v2/items?projectId={project}")).json()
    assert [quoted["quote"] for quoted in stored["evidence"]] == ["so it was said"]
    exported = decode_lines(await export(owner, project))
    assert [len(line["snapshot"]["evidence"]) for line in exported if line["loremark"] == "revision"] == [1]
    reverted = await owner.post(f"/api/v2/items/{stored['id']}/revert", {"version": 1})
    assert reverted.json()["evidence"] == stored["evidence"]


@pytest.fixture
async def metered(database_url: str, tmp_path: Path) -> AsyncIterator[Service]:
    plans = {"team": {}, "events2": {"events": 2}}
    settings = settings_for(tmp_path, database_url, LOREMARK_PLANS_FILE=write_plans(tmp_path, **plans))
    async with run_service(settings) as running:
        yield running


async def test_unfinished_work_counts_in_the_current_month(metered: Service) -> None:
    owner = await metered.owner()
    project = await owner.create_project()
    old_ms = clock.now_ms() - 90 * clock.DAY_MS
    session = _session(status="active", completedAtMs=None, createdAtMs=old_ms, lastEventAtMs=clock.now_ms())
    done = [_event(session, createdAtMs=old_ms, enriched=True) for _ in range(4)]
    pending = [_event(session, createdAtMs=old_ms) for _ in range(3)]
    lines = b"".join(_line(**line) for line in (session, *done, *pending))
    await set_plan(metered, owner.team_id, "events2")
    assert status_and_body(await post_import(owner, project, lines)) == limit_reached("events")
    await set_plan(metered, owner.team_id, "team")
    assert created_counts(await import_lines(owner, project, lines)) == {"sessions": 1, "events": 7}
    await import_lines(owner, project, lines)
    used = await read_counters(metered.runtime.database, owner.team_id)
    assert (used["events"], used["sessions"]) == (3, 1)
    assert await recount_team(metered.runtime.database, Scope(owner.team_id), set_mark()) == []
    await owner.delete(f"/api/projects/{project}")
    await metered.wait_for_jobs(20)
    assert (await read_counters(metered.runtime.database, owner.team_id))["events"] == 3, (
        "finished work counts in its own month"
    )
    assert await recount_team(metered.runtime.database, Scope(owner.team_id), set_mark()) == []
