"""How the refusals of Genesis are brought about."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace

from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.examples_genesis import ask_of, keep_scan, project_with_repository
from tests.contract.provocations import Provocations, Provoked, valid

GENESIS = Provocations()


@GENESIS.of(400, "Project has no repository")
async def _no_repository(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in routes:
        yield Provoked(
            route, await cast.send(cast["owner"], route, await ask_of(cast, await cast.project(), by_body=True))
        )


@GENESIS.of(400, "No previous scan for selective mode")
async def _nothing_before(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    """Neither without any scan nor after one that failed."""
    for route in routes:
        ask = await valid(cast, route)
        selective = replace(ask, json={**ask.json, "selective": True})
        yield Provoked(route, await cast.send(cast["owner"], route, selective))
        await keep_scan(cast, ask.project, "failed")
        yield Provoked(route, await cast.send(cast["owner"], route, selective))


@GENESIS.of(409, "Scan already in progress")
async def _running(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in routes:
        project = await project_with_repository(cast)
        await keep_scan(cast, project)
        yield Provoked(route, await cast.send(cast["owner"], route, await ask_of(cast, project, by_body=True)))


@GENESIS.of(400, "No scan in progress")
async def _not_running(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in routes:
        project = await cast.project()
        ask = await ask_of(cast, project, by_body=True)
        yield Provoked(route, await cast.send(cast["owner"], route, ask))
        await keep_scan(cast, project, "complete")
        yield Provoked(route, await cast.send(cast["owner"], route, ask))


@GENESIS.of(400, "projectId is missing")
async def _which_project(cast: Cast, routes: list[Route]) -> AsyncIterator[Provoked]:
    for route in routes:
        ask = replace(await valid(cast, route), query="")
        yield Provoked(route, await cast.send(cast["owner"], route, ask), "projectId")
