"""Error cases of Genesis."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.error_cases import ErrorCase, ErrorCases, valid
from tests.contract.examples_genesis import ask_of, keep_scan, project_with_repository

GENESIS = ErrorCases()


@GENESIS.of(400, "Project has no repository")
async def _no_repository(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        yield ErrorCase(
            route, await cast.send(cast["owner"], route, await ask_of(cast, await cast.project(), by_body=True))
        )


@GENESIS.of(400, "No previous scan for selective mode")
async def _nothing_before(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    """Without a scan, and after a failed one."""
    for route in routes:
        ask = await valid(cast, route)
        selective = replace(ask, json={**ask.json, "selective": True})
        yield ErrorCase(route, await cast.send(cast["owner"], route, selective))
        await keep_scan(cast, ask.project, "failed")
        yield ErrorCase(route, await cast.send(cast["owner"], route, selective))


@GENESIS.of(409, "Scan already in progress")
async def _running(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        project = await project_with_repository(cast)
        await keep_scan(cast, project)
        yield ErrorCase(route, await cast.send(cast["owner"], route, await ask_of(cast, project, by_body=True)))


@GENESIS.of(400, "No scan in progress")
async def _not_running(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        project = await cast.project()
        ask = await ask_of(cast, project, by_body=True)
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))
        await keep_scan(cast, project, "complete")
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask))


@GENESIS.of(400, "projectId is missing")
async def _which_project(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    for route in routes:
        ask = replace(await valid(cast, route), query="")
        yield ErrorCase(route, await cast.send(cast["owner"], route, ask), "projectId")
