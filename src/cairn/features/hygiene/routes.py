"""POST /api/v2/hygiene."""

from __future__ import annotations

from cairn.base import errors
from cairn.features.hygiene import service
from cairn.features.hygiene.looking import Cleaner
from cairn.web.call import Call
from cairn.web.needs import KEY, LOGIN, needs
from cairn.web.routes import Routes, TxMode
from cairn.wire.hygiene import HygieneApplied, HygienePlan, HygieneRequest

routes = Routes("hygiene")


@routes.add(
    "POST",
    "/api/v2/hygiene",
    needs(KEY | LOGIN),
    name="run",
    tx=TxMode.NONE,
    errors=(errors.PROJECT_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED, errors.PLAN_NOT_FOUND),
)
async def run(call: Call, body: HygieneRequest) -> HygienePlan | HygieneApplied:
    """Look at a memory and say what could be tidied up, or do what was selected of such a plan."""
    if body.action == "analyze":
        return await call.use(Cleaner).look(call.caller, body.project_id, body.mode)
    if body.plan is None:
        raise errors.invalid("plan is required to apply")
    if body.selected_action_ids is None:
        raise errors.invalid("selectedActionIds is required to apply")
    async with call.database.write() as tx:
        return await service.apply(tx, call.caller, body.project_id, body.plan.plan_id, body.selected_action_ids)
