"""/api/v2/hygiene: a look and what comes of it, the plans there are, and the way back."""

from __future__ import annotations

from msgspec import Struct

from loremark.base import errors
from loremark.features.hygiene import service, undoing
from loremark.features.hygiene.looking import Cleaner
from loremark.features.projects.access import Right, get_project
from loremark.web.call import Call
from loremark.web.needs import KEY, LOGIN, needs
from loremark.web.routes import Routes, TxMode
from loremark.wire.hygiene import HygieneApplied, HygienePlan, HygieneRequest, HygieneUndo, HygieneUndone, KeptPlan

routes = Routes("hygiene")

_PLANS = 20
_REFUSED = (errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_NOT_FOUND)


class PlansQuery(Struct, frozen=True, rename="camel"):
    project_id: str


@routes.add(
    "POST",
    "/api/v2/hygiene",
    needs(KEY | LOGIN),
    name="run",
    tx=TxMode.NONE,
    errors=_REFUSED,
)
async def run(call: Call, body: HygieneRequest) -> HygienePlan | HygieneApplied:
    """Look at a memory and say what could be tidied up, or do what was selected of such a plan."""
    if body.action == "analyze":
        return await call.use(Cleaner).look(call.caller, body.project_id, body.mode)
    if body.plan is None:
        raise errors.invalid("plan is required to apply")
    if body.selected_action_ids is None:
        raise errors.invalid("selectedActionIds is required to apply")
    async with call.write() as tx:
        return await service.apply(tx, call.caller, body.project_id, body.plan.plan_id, body.selected_action_ids)


@routes.add("POST", "/api/v2/hygiene/undo", needs(KEY | LOGIN), name="undo", errors=_REFUSED)
async def undo(call: Call, body: HygieneUndo) -> HygieneUndone:
    """Take back what was applied of a plan, where nothing has changed since."""
    return await undoing.undo(call.tx, call.caller, body.project_id, body.plan_id, body.action_ids)


@routes.add(
    "GET",
    "/api/v2/hygiene",
    needs(KEY | LOGIN),
    name="plans",
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN),
)
async def list_plans(call: Call, query: PlansQuery) -> list[KeptPlan]:
    """The newest plans of the last seven days, each with what was applied of it."""
    await get_project(call.tx, call.caller, query.project_id, Right.WRITE, archived_too=True)
    return await service.list_kept(call.tx, call.caller.scope, query.project_id, _PLANS)
