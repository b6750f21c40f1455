"""POST /api/v2/briefing, GET /api/v2/usefulness and GET /api/v2/items/{id}/usage."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from loremark.base import clock, errors, limits
from loremark.features.briefing import store, usage
from loremark.features.briefing.service import Briefer, Goal
from loremark.features.items import editing
from loremark.features.projects.access import Access, get_project
from loremark.memory.briefing.entries import Document
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.briefing import Briefing, BriefingEntry, BriefingRequest
from loremark.wire.shapes import AnyId
from loremark.wire.usefulness import ItemUsage, Usefulness

routes = Routes("briefing")
item_routes = Routes("items")

_NOTHING = Briefing(id=None, markdown="", token_estimate=0, entries=[])


# No transaction: the prompt is embedded in between, and this request would hold a connection meanwhile.
@routes.add(
    "POST",
    "/api/v2/briefing",
    needs(KEY | LOGIN, "read"),
    name="create",
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def create_briefing(call: Call, body: BriefingRequest) -> Briefing:
    """Get what memory says about a task; without a prompt or files, what applies to every task in the project."""
    scope = call.caller.scope
    async with call.database.read() as tx:
        project = await get_project(tx, call.caller, body.project_id, Access.READ)
    is_served = bool(project["briefings_enabled"])
    if not is_served and not body.session:
        return _NOTHING
    goal = Goal(body.prompt, tuple(body.files), body.branch, frozenset(body.known))
    write = call.use(Briefer).standing if goal.is_empty else call.use(Briefer).brief
    standard = limits.BRIEFING_STANDING_TOKENS_DEFAULT if goal.is_empty else limits.BRIEFING_TOKENS_DEFAULT
    document = await write(scope, project, goal, body.token_budget or standard)
    briefing_id = None
    if document.entries and body.session:
        briefing_id = await _record(call, body, goal, document, served=is_served)
    # While briefings are off they are only recorded, so that the time with and without them can be compared.
    return _shape(briefing_id, document) if is_served else _NOTHING


async def _record(call: Call, body: BriefingRequest, goal: Goal, document: Document, *, served: bool) -> str:
    async with call.database.write() as tx:
        await get_project(tx, call.caller, body.project_id, Access.READ)  # it may be deleted meanwhile
        return await store.create_briefing(
            tx,
            call.caller.scope,
            body.project_id,
            source=body.session,
            kind="start" if goal.is_empty else "prompt",
            document=document,
            served=served,
        )


def _shape(briefing_id: str | None, document: Document) -> Briefing:
    return Briefing(
        id=briefing_id,
        markdown=document.markdown,
        token_estimate=document.tokens,
        entries=[BriefingEntry(kind=entry.kind, id=entry.id, reviewed=entry.reviewed) for entry in document.entries],
    )


class UsefulnessQuery(Struct, frozen=True, rename="camel"):
    project_id: AnyId
    days: Annotated[int, Meta(ge=1, le=limits.USEFULNESS_DAYS_MAX)] = limits.USEFULNESS_DAYS_DEFAULT


@routes.add(
    "GET", "/api/v2/usefulness", needs(KEY | LOGIN, "read"), name="usefulness", errors=(errors.PROJECT_NOT_FOUND,)
)
async def get_usefulness(call: Call, query: UsefulnessQuery) -> Usefulness:
    """Show how often agents were briefed, used what they were given, and had to be corrected again."""
    project = await get_project(call.tx, call.caller, query.project_id, Access.READ)
    since_ms = clock.now_ms() - query.days * clock.DAY_MS
    return await usage.get_usefulness(call.tx, call.caller.scope, project, since_ms)


@item_routes.add(
    "GET", "/api/v2/items/{id}/usage", needs(KEY | LOGIN, "read"), name="usage", errors=(errors.ITEM_NOT_FOUND,)
)
async def get_item_usage(call: Call, id: str) -> ItemUsage:
    """Show how often an item was given to agents, and how often it was used or needed repeating."""
    item = await editing.get_item(call.tx, call.caller, id, Access.READ)
    return await usage.get_item_usage(call.tx, call.caller.scope, item["project_id"], id)
