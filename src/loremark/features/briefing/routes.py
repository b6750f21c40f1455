"""POST /api/v2/briefing."""

from __future__ import annotations

from loremark.base import errors, limits
from loremark.features.briefing import store
from loremark.features.briefing.service import Briefer, Goal
from loremark.features.projects.access import Access, get_project
from loremark.memory.briefing.entries import EMPTY, Document
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.briefing import Briefing, BriefingEntry, BriefingRequest

routes = Routes("briefing")


# No transaction: the prompt is embedded in between, and this request would hold a connection meanwhile.
@routes.add(
    "POST",
    "/api/v2/briefing",
    needs(KEY | LOGIN),
    name="create",
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND,),
)
async def create_briefing(call: Call, body: BriefingRequest) -> Briefing:
    """Get what memory says about a task; without a prompt or files, what holds for every task of the project."""
    scope = call.caller.scope
    async with call.database.read() as tx:
        project = await get_project(tx, call.caller, body.project_id, Access.READ)
    if not project["briefings_enabled"]:
        return _shape(None, EMPTY)
    goal = Goal(body.prompt, tuple(body.files), body.branch, frozenset(body.known))
    write = call.use(Briefer).standing if goal.is_empty else call.use(Briefer).brief
    standard = limits.BRIEFING_STANDING_TOKENS_DEFAULT if goal.is_empty else limits.BRIEFING_TOKENS_DEFAULT
    document = await write(scope, project, goal, body.token_budget or standard)
    is_recorded = bool(document.entries and body.session)
    return _shape(await _record(call, body, goal, document) if is_recorded else None, document)


async def _record(call: Call, body: BriefingRequest, goal: Goal, document: Document) -> str:
    async with call.database.write() as tx:
        await get_project(tx, call.caller, body.project_id, Access.READ)  # it may be deleted meanwhile
        return await store.create_briefing(
            tx,
            call.caller.scope,
            body.project_id,
            source=body.session,
            kind="start" if goal.is_empty else "prompt",
            document=document,
        )


def _shape(briefing_id: str | None, document: Document) -> Briefing:
    return Briefing(
        id=briefing_id,
        markdown=document.markdown,
        token_estimate=document.tokens,
        entries=[BriefingEntry(kind=entry.kind, id=entry.id, reviewed=entry.reviewed) for entry in document.entries],
    )
