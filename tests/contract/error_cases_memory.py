"""Error cases of items, contexts and their history."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.base import ids
from loremark.web.routes import Route
from tests.contract.cast import Ask, Cast
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.examples import BY_NAME, EXAMPLES

MEMORY = ErrorCases()


@MEMORY.of(404, "Item not found")
@MEMORY.of(404, "Context not found")
async def _hidden(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        below = route is BY_NAME["contexts.create"]
        ask = await EXAMPLES["contexts.create (below)"](cast, cast["owner"]) if below else await valid(cast, route)
        for actor in (cast["stranger"], cast["unassigned"]):
            yield ErrorCase(route, await cast.send(actor, route, ask))
        for unknown in (ids.new(ask.target.partition("_")[0]), ask.project, "x", "a" * (100 if below else 5_000)):
            yield ErrorCase(route, await cast.send(cast["owner"], route, ask.about(unknown)))
        await cast.owner.delete(f"/api/projects/{ask.project}")
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@MEMORY.of(404, "Revision not found")
async def _no_revision(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        for version in (4, 1_000_000, 2**53 - 1):
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json={"version": version})))


@MEMORY.of(409, "schemaKey already exists")
async def _key_taken(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = await valid(cast, route)
        asks = [
            ask,
            replace(ask, json={"name": "Same name", "projectId": ask.project}),
            Ask(json={"name": f"For all {ids.new('ctx')}"}),
        ]
        for twice in asks:
            assert (await cast.send(cast["owner"], route, twice)).status_code == 201
            yield ErrorCase(route, await cast.send(cast["owner"], route, twice))
