"""GET /api/models and POST /api/models/test."""

from __future__ import annotations

from loremark.base.caller import MANAGERS
from loremark.base.plans import Plans
from loremark.features.identity import store as people
from loremark.features.metering.service import TeamMeter
from loremark.features.models.service import ModelDirectory
from loremark.web.authentication import KEY, LOGIN, needs
from loremark.web.call import Call
from loremark.web.routes import Routes, TxMode
from loremark.wire.models import ModelEntry, ModelTestRequest, ModelTestResult

routes = Routes("models")


@routes.add("GET", "/api/models", needs(KEY | LOGIN, "admin", roles=MANAGERS), name="list", tx=TxMode.NONE)
async def list_models(call: Call) -> list[ModelEntry]:
    """List the models this server uses."""
    return call.use(ModelDirectory).entries()


@routes.add("POST", "/api/models/test", needs(KEY | LOGIN, "admin", roles=MANAGERS), name="test", tx=TxMode.NONE)
async def test_model(call: Call, body: ModelTestRequest) -> ModelTestResult:
    """Test a model with one small call, which uses a few of the team's AI tokens."""
    scope = call.caller.scope
    async with call.database.read() as tx:
        plan = call.use(Plans).get((await people.get_team(tx, call.caller.team_id))["plan"])
    meter = TeamMeter(call.database, scope, plan, None)
    result = await call.use(ModelDirectory).test(body.purpose, meter)
    async with call.write() as tx:
        await meter.charge(tx)
    return result
