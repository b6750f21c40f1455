"""Valid requests for items, contexts and their history."""

from __future__ import annotations

from typing import Any

from loremark.base import ids
from loremark.base.caller import Scope
from loremark.features.items import service as items
from loremark.memory.items import Item, Quote
from tests.contract.cast import Actor, Ask, Cast, Example
from tests.contract.examples_capture import Thing
from tests.support.people import Person
from tests.support.service import Service

MEMORY: dict[str, Example] = {}

JOURNAL = "Kept by hand.\n\n## Monday\n- The cache is off\n\n## Tuesday\n- The cache is off\n- The cache is on\n"


def new_item(**fields: Any) -> Item:
    """An item like enrichment creates it."""
    known: dict[str, Any] = {
        "title": "Sessions are kept in Redis",
        "content": "They outlive a restart.",
        "type": "decision",
        "schema_key": "root/api/sessions",
        "confidence": 0.8,
        "files": ("src/api.py", "src/sessions.py"),
        "tags": ("redis",),
        "evidence": (Quote(ids.new("evt"), "we keep sessions in Redis"),),
        "branch": "main",
    }
    return Item(**{"reviewed": fields.get("status") == "approved", **known, **fields})


async def keep_item(service: Service, owner: Person, project: str, **fields: Any) -> str:
    """Store an item like enrichment does."""
    async with service.runtime.database.write() as tx:
        return await items.create_item(
            tx,
            Scope(owner.team_id),
            project,
            new_item(**fields),
            session_id=None,
            source_ref=ids.new("ses"),
            reason="created",
        )


async def make_item(cast: Cast, project: str, **fields: Any) -> str:
    return await keep_item(cast.service, cast.owner, project, **fields)


async def make_context(cast: Cast, **fields: Any) -> str:
    made = await cast.owner.post("/api/contexts", {"name": f"Journal {ids.new('ctx')}", "content": JOURNAL, **fields})
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def _keep(name: str, thing: Thing, visibility: str) -> None:
    async def ask(cast: Cast, actor: Actor) -> Ask:
        return await thing(cast, await cast.project(visibility))

    MEMORY[name] = ask


def _on(name: str, thing: Thing) -> None:
    """Two examples: a private and a public project."""
    _keep(name, thing, "private")
    _keep(f"{name} (public)", thing, "public")


def _on_item(name: str, json: Any = None, **fields: Any) -> None:
    async def ask(cast: Cast, project: str) -> Ask:
        item = await make_item(cast, project, **fields)
        for title in ("Sessions live in Redis", "Sessions stay in Redis"):
            assert (await cast.owner.patch(f"/api/v2/items/{item}", {"title": title})).status_code == 200
        return Ask({"id": item}, dict(json) if json else None, target=item, project=project)

    _on(name, ask)


def _on_context(name: str, json: Any = None) -> None:
    async def of(cast: Cast, context: str, project: str) -> Ask:
        for description in ("First", "Second"):
            changed = await cast.owner.patch(f"/api/contexts/{context}", {"description": description})
            assert changed.status_code == 200, changed.text
        return Ask({"id": context}, dict(json) if json else None, target=context, project=project)

    async def ask(cast: Cast, project: str) -> Ask:
        return await of(cast, await make_context(cast, projectId=project), project)

    async def team_wide(cast: Cast, actor: Actor) -> Ask:
        return await of(cast, await make_context(cast), "")

    _on(name, ask)
    MEMORY[f"{name} (team-wide)"] = team_wide


async def _list_items(cast: Cast, project: str) -> Ask:
    for _ in range(3):
        await make_item(cast, project)
    return Ask(query=f"?projectId={project}", target=project, project=project)


async def _list_all_items(cast: Cast, actor: Actor) -> Ask:
    for _ in range(3):
        await make_item(cast, await cast.project("public"))
    return Ask()


_on("items.list", _list_items)
MEMORY["items.list (all)"] = _list_all_items
_on_item("items.get")
_on_item("items.update", {"title": "Renamed", "status": "approved", "files": ["src/api.py"], "tags": ["redis", "api"]})
_on_item("items.update (deprecates)", {"status": "deprecated"})
_on_item("items.delete")
_on_item("items.revisions")
_on_item("items.evidence")
_on_item("items.related")
_on_item("items.usage")
_on_item("items.revert", {"version": 1})


async def _list_contexts(cast: Cast, project: str) -> Ask:
    for _ in range(3):
        await make_context(cast, projectId=project)
    return Ask(query=f"?projectId={project}", target=project, project=project)


async def _list_all_contexts(cast: Cast, actor: Actor) -> Ask:
    for _ in range(3):
        await make_context(cast)
    return Ask()


async def _create_context(cast: Cast, project: str) -> Ask:
    body = {
        "name": "Auth",
        "description": "Who may enter",
        "content": "# Auth",
        "schemaKey": f"root/{ids.new('key').replace('_', '-')}",
        "tier": 1,
        "contextType": "reference",
        "projectId": project,
    }
    return Ask(json=body, target=project, project=project)


async def _create_team_wide(cast: Cast, actor: Actor) -> Ask:
    return Ask(json={"name": f"House rules {ids.new('ctx')}"})


async def _create_below(cast: Cast, project: str) -> Ask:
    parent = await make_context(cast, projectId=project)
    return Ask(json={"name": "Below", "parentContextId": parent}, target=parent, project=project)


async def _populate(cast: Cast, project: str) -> Ask:
    nodes = [
        {"schemaKey": "root/api/auth", "name": "Auth", "content": "Tokens", "contextType": "reference", "tier": 1},
        {"schemaKey": "root/api", "name": "API", "description": "All routes", "parentSchemaKey": "root"},
    ]
    body = {"nodes": nodes, "source": "scanner", "dryRun": False, "projectId": project}
    return Ask(json=body, target=project, project=project)


async def _populate_team_wide(cast: Cast, actor: Actor) -> Ask:
    key = f"house/{ids.new('key').replace('_', '-')}"
    return Ask(json={"nodes": [{"schemaKey": key, "name": "Rules"}]})


_on("contexts.list", _list_contexts)
MEMORY["contexts.list (all)"] = _list_all_contexts
_on("contexts.tree", _list_contexts)
MEMORY["contexts.tree (all)"] = _list_all_contexts
_on("contexts.create", _create_context)
_on("contexts.create (below)", _create_below)
MEMORY["contexts.create (team-wide)"] = _create_team_wide
_on("contexts.populate", _populate)
MEMORY["contexts.populate (team-wide)"] = _populate_team_wide
_on_context("contexts.get")
_on_context(
    "contexts.update", {"name": "Renamed", "description": "Changed", "content": "Replaced", "parentContextId": None}
)
_on_context("contexts.delete")
_on_context("contexts.approve", {"action": "approve"})
_on_context("contexts.compact")
_on_context("contexts.revisions")
_on_context("contexts.revert", {"version": 1})
