"""Error cases of import."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.features.identity import store as people
from loremark.features.metering import service as metering
from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.error_cases_capture import CAPTURE, _have

TRANSFER = ErrorCases()
_PLAN_LIMIT = (403, "Plan limit reached: {counter}")


@TRANSFER.of(400, "a line is invalid, has an unsupported version, or refers to another project")
async def _bad_line(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        lines = (ask.raw or b"").splitlines(keepends=True)
        another = lines[0].replace(b'"version":1', b'"version":2')
        event = next(line for line in lines if line.startswith(b'{"loremark":"event"'))
        for bad in (
            another,
            b"{",
            b"[]",
            b'{"loremark": "cake"}',
            event,
            b"\xff\n",
            lines[-1].replace(b"}", b',"x":1}'),
        ):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, raw=bad)), "line 1")


@TRANSFER.of(*_PLAN_LIMIT)
async def _plan_limit(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Each counter that an import needs, used up in turn; the other counters have their own cases."""
    others = [route for route in routes if route.group != "transfer"]
    async for case in CAPTURE[_PLAN_LIMIT](cast, others):
        yield case
    team_id = cast.owner.team_id
    async with cast.service.runtime.database.read() as tx:
        before = await people.get_team(tx, team_id)
    for route in [route for route in routes if route.group == "transfer"]:
        for counter in ("events", "sessions", "storage"):
            ask = await valid(cast, route)
            month = "all-time" if counter == "storage" else metering.period()
            used_up = {"team_id": team_id, "period": month, "counter": counter, "slot": "all", "used": 10**12}
            await _have(cast, "team", used_up)
            answer = await cast.send(cast["owner"], route, ask)
            await _have(cast, before["plan"])
            assert answer.json().get("error", "").endswith(counter), answer.text
            yield ErrorCase(route, answer)
