"""Project overviews and the context map."""

from __future__ import annotations

from typing import Any

import pytest

from loremark.base import clock, ids
from loremark.base.clock import DAY_MS
from loremark.storage.tables import items
from tests.contract.examples_memory import keep_item
from tests.features.steps import NO_PROJECT, insert_projects, insert_rows, status_and_body
from tests.support.people import Person
from tests.support.service import Service

pytestmark = pytest.mark.anyio

WEDNESDAY_MS = 1_790_164_800_000 + 12 * clock.HOUR_MS  # 23 September 2026, noon
PATH = "/api/v2/overview"


async def _overview(person: Person) -> dict[str, Any]:
    answer = await person.get(PATH)
    assert answer.status_code == 200, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def _project_overview(person: Person, project: str) -> dict[str, Any]:
    (found,) = [each for each in (await _overview(person))["projects"] if each["id"] == project]
    return dict(found)


async def _context(owner: Person, name: str, key: str, project: str | None, parent: str | None = None) -> str:
    body = {"name": name, "schemaKey": key, "content": "Words.", "parentContextId": parent}
    created = await owner.post("/api/contexts", {**body, **({"projectId": project} if project else {})})
    assert created.status_code == 201, created.text
    return str(created.json()["id"])


async def test_project_key_figures(service: Service) -> None:
    owner = await service.owner()
    project = await owner.create_project("Known")
    for weeks_ago, status, kind, flags in (
        (20, "approved", "decision", ()),
        (3, "approved", "decision", ("stale",)),
        (0, "draft", "bug", ("conflict", "low_confidence")),
        (0, "draft", "bug", ("quality", "stale")),
        (0, "deprecated", "todo", ("stale",)),
    ):
        with clock.use(lambda: WEDNESDAY_MS - weeks_ago * 7 * DAY_MS):  # noqa: B023
            await keep_item(service, owner, project, status=status, type=kind, flags=flags)
    await _context(owner, "Own", "root/own", project)
    await _context(owner, "Shared", "root/shared", None)
    session = {"projectId": project}
    assert (await owner.post("/api/v2/sessions", session)).status_code == 201

    with clock.use(lambda: WEDNESDAY_MS):
        shown = await _project_overview(owner, project)
    growth = shown.pop("growth")
    assert [week["added"] for week in growth] == [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 3]
    assert (growth[0]["weekStart"], growth[-1]["weekStart"]) == ("2026-07-06", "2026-09-21")
    assert shown.pop("tokens") > 0
    assert shown == {
        "id": project,
        "name": "Known",
        "status": "active",
        "visibility": "private",
        "items": {"approved": 2, "draft": 2, "deprecated": 1},
        "flags": {"stale": 2, "conflict": 1, "lowConfidence": 1, "quality": 1},
        "contexts": 1,
        "sessions": {"active": 1, "enriching": 0, "failed": 0, "total": 1},
        "lastEventAt": None,
    }

    event = {"projectId": project, "event": "session_save", "payload": {"summary": "hello", "changes": []}}
    assert (await owner.post("/api/v2/events", event)).status_code == 202
    answer = await owner.get(f"{PATH}/{project}")
    one = answer.json()
    assert answer.status_code == 200, answer.text
    assert one["lastEventAt"] is not None
    assert one["byType"] == {"decision": 2, "bug": 2}
    assert one["review"] == {"drafts": 2, "lowConfidence": 1, "conflicts": 1, "stale": 2}
    assert {name: value for name, value in one.items() if name not in ("byType", "review")} == await _project_overview(
        owner, project
    )


async def test_spend_is_for_owner_and_admins_only(service: Service) -> None:
    owner = await service.owner()
    hidden, shown = await owner.create_project("Hidden"), await owner.create_project("Shown", visibility="public")
    member, stranger = await service.join(owner), await service.owner("Others")
    for person, seen in ((owner, [shown, hidden]), (member, [shown]), (stranger, [])):
        overview = await _overview(person)
        assert [project["id"] for project in overview["projects"]] == seen
        assert (overview["spend"] is None) == (person is member)
    usage, credits = [(await owner.get(f"/api/billing/{name}")).json() for name in ("usage", "credits")]
    spend = (await _overview(owner))["spend"]
    assert (spend["plan"], spend["period"], spend["usage"]) == (usage["plan"], usage["period"], usage["usage"])
    assert (spend["used"], spend["credits"]) == (0, credits["balance"])
    assert spend["limit"] > 0
    for person in (member, stranger):
        for path in (f"{PATH}/{hidden}", f"/api/v2/map?projectId={hidden}"):
            assert status_and_body(await person.get(path)) == NO_PROJECT


async def test_overview_of_many_projects(service: Service) -> None:
    owner = await service.owner()
    project_ids = await insert_projects(service, owner.team_id, 203)
    item_id = await keep_item(service, owner, project_ids[0], status="approved", files=())
    async with service.runtime.database.read() as tx:
        (row,) = await tx.many(items.select().where(items.c.id == item_id))
    template = {column.name: row[column.name] for column in items.c}
    many = [{**template, "id": ids.new("itm"), "project_id": project} for project in project_ids for _ in range(3)]
    await insert_rows(service, items, many)
    projects = (await _overview(owner))["projects"]
    assert [project["id"] for project in projects] == project_ids[:2:-1]
    assert {(project["items"]["approved"], project["growth"][-1]["added"]) for project in projects} == {(3, 3)}


async def test_item_counts_in_one_context_of_the_map(service: Service) -> None:
    owner = await service.owner()
    project, other = await owner.create_project(), await owner.create_project("Other")
    api = await _context(owner, "API", "root/api", project)
    shared = await _context(owner, "API of all", "root/api", None)
    deep = await _context(owner, "Sign-in of all", "root/api/auth", None)
    moved = await _context(owner, "Elsewhere", "elsewhere", project, parent=api)
    await _context(owner, "Of another", "root/api/auth/deeper", other)
    for key, status, flags in (
        ("root/api", "approved", ()),
        ("root/api/sessions/store", "draft", ("conflict",)),
        ("root/api/auth", "approved", ("stale",)),
        ("root/api/auth/deeper", "approved", ()),
        ("root/api-keys", "approved", ()),  # not below root/api
        ("root/api", "deprecated", ("stale",)),
    ):
        await keep_item(service, owner, project, schema_key=key, status=status, flags=flags)
    await keep_item(service, owner, other, schema_key="root/api", status="approved")
    answer = await owner.get(f"/api/v2/map?projectId={project}")
    assert answer.status_code == 200, answer.text
    contexts_by_id = {context["id"]: context for context in answer.json()}
    assert list(contexts_by_id) == [api, shared, deep, moved]
    assert {each: tuple(context["items"].values()) for each, context in contexts_by_id.items()} == {
        api: (1, 1, 0, 1),
        shared: (0, 0, 0, 0),
        deep: (2, 0, 1, 0),
        moved: (0, 0, 0, 0),
    }
    assert (
        contexts_by_id[moved]["parentId"],
        contexts_by_id[shared]["projectId"],
        contexts_by_id[api]["projectId"],
    ) == (api, None, project)
    assert contexts_by_id[api]["tokens"] > 0
