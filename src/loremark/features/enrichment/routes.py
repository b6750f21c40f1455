"""/api/v2/sessions/{id}/enrich and /retry."""

from __future__ import annotations

from loremark.base import errors
from loremark.base.plans import Plan, Plans
from loremark.features.enrichment import service
from loremark.features.identity import store as people
from loremark.features.projects.access import Access
from loremark.features.sessions import service as sessions
from loremark.features.sessions.service import Models
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes
from loremark.wire.sessions import EnrichmentStarted, RetryStarted

routes = Routes("sessions")

_REFUSED = (errors.SESSION_NOT_FOUND, errors.FORBIDDEN, errors.PROJECT_ARCHIVED)


async def _plan(call: Call, session_id: str) -> tuple[Plan, bool]:
    """Return the team's plan and whether enrichment uses AI tokens."""
    _, project = await sessions.get_session(call.tx, call.caller, session_id, Access.WRITE)
    team = await people.get_team(call.tx, call.caller.team_id)
    plan = call.use(Plans).get(team["plan"])
    return plan, call.use(Models).is_metered(plan, project["ai_tier"])


@routes.add(
    "POST",
    "/api/v2/sessions/{id}/enrich",
    needs(KEY | LOGIN, "capture"),
    name="enrich",
    status=202,
    errors=(*_REFUSED, errors.ENRICHMENT_RUNNING, errors.AI_TOKEN_LIMIT, errors.PLAN_LIMIT),
)
async def enrich(call: Call, id: str) -> EnrichmentStarted:
    """Start enriching a session's new events in the background."""
    plan, paid = await _plan(call, id)
    return await service.start(call.tx, call.caller, id, plan, paid=paid)


@routes.add(
    "POST",
    "/api/v2/sessions/{id}/retry",
    needs(KEY | LOGIN, "capture"),
    name="retry",
    status=202,
    errors=(*_REFUSED, errors.NO_FAILED_JOB, errors.AI_TOKEN_LIMIT, errors.PLAN_LIMIT),
)
async def retry(call: Call, id: str) -> RetryStarted:
    """Retry from the failed stage. Finished stages are not repeated or charged again."""
    plan, paid = await _plan(call, id)
    return await service.retry(call.tx, call.caller, id, plan, paid=paid)
