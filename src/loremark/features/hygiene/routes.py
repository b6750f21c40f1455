"""/api/v2/hygiene: analyze, apply, list plans and undo."""

from __future__ import annotations

from msgspec import Struct

from loremark.base import errors
from loremark.features.hygiene import service, undoing
from loremark.features.hygiene.analysis import HygieneAnalyzer
from loremark.features.projects.access import Access, get_project
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.hygiene import (
    HygieneApplied,
    HygienePlan,
    HygieneRequest,
    HygieneUndone,
    HygieneUndoRequest,
    StoredPlan,
)

routes = Routes("hygiene")

_PLANS = 20
_REFUSED = (errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_NOT_FOUND)


class PlansQuery(Struct, frozen=True, rename="camel"):
    project_id: str


@routes.add(
    "POST",
    "/api/v2/hygiene",
    needs(KEY | LOGIN, "write", "capture"),
    name="run",
    tx=TxMode.NONE,
    errors=_REFUSED,
)
async def run(call: Call, body: HygieneRequest) -> HygienePlan | HygieneApplied:
    """Analyze a project's memory and propose cleanup actions, or apply selected actions of a plan."""
    if body.action == "analyze":
        return await call.use(HygieneAnalyzer).analyze(call.caller, body.project_id, body.mode)
    if not call.caller.has_scope("write"):
        raise errors.FORBIDDEN()  # with the scope "capture", agents can propose actions
    if body.plan is None:
        raise errors.invalid("plan is required to apply")
    if body.selected_action_ids is None:
        raise errors.invalid("selectedActionIds is required to apply")
    async with call.write() as tx:
        return await service.apply(tx, call.caller, body.project_id, body.plan.plan_id, body.selected_action_ids)


@routes.add("POST", "/api/v2/hygiene/undo", needs(KEY | LOGIN, "write"), name="undo", errors=_REFUSED)
async def undo(call: Call, body: HygieneUndoRequest) -> HygieneUndone:
    """Undo applied actions of a plan, unless the items have changed since."""
    return await undoing.undo(call.tx, call.caller, body.project_id, body.plan_id, body.action_ids)


@routes.add(
    "GET",
    "/api/v2/hygiene",
    needs(KEY | LOGIN, "read"),
    name="plans",
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN),
)
async def list_plans(call: Call, query: PlansQuery) -> list[StoredPlan]:
    """List the newest plans of the last seven days, including which actions were applied."""
    await get_project(call.tx, call.caller, query.project_id, Access.WRITE, allow_archived=True)
    return await service.list_plans(call.tx, call.caller.scope, query.project_id, _PLANS)
