"""Error cases and 304 responses of the brain."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.contract import load
from tests.contract.error_cases import ErrorCase, ErrorCases, valid

BRAIN = ErrorCases()


@BRAIN.of(304, "If-None-Match is the current ETag; no body")
async def _not_modified(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        tag = (await cast.send(cast["owner"], route, ask)).headers["etag"]
        for given in (tag, f"W/{tag}", f'"another", {tag}', "*"):
            answer = await cast.send(cast["owner"], route, ask, headers={"If-None-Match": given})
            assert answer.headers["etag"] == tag
            yield ErrorCase(route, answer)


@BRAIN.of(400, "tokenBudget must be between 200 and 200000")
async def _out_of_range(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """One beyond each limit; the limits themselves are accepted."""
    limit = load().limit("size.token_budget")
    assert limit.min is not None
    assert limit.max is not None
    for route in routes:
        ask = await valid(cast, route)
        for budget in (limit.min, limit.max):
            taken = await cast.send(cast["owner"], route, replace(ask, query=_with(ask.query, budget)))
            assert taken.status_code == 200, taken.text
            body = taken.json()
            assert body.get("metadata", body)["budget"] == budget
        for budget in (limit.min - 1, limit.max + 1, -limit.max, 0):
            refused = replace(ask, query=_with(ask.query, budget))
            yield ErrorCase(route, await cast.send(cast["owner"], route, refused))


def _with(query: str, budget: float) -> str:
    return query.replace("tokenBudget=400", f"tokenBudget={budget}")
