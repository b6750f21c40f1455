"""Error cases of chats."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.error_cases import ErrorCase, ErrorCases, valid

CHATS = ErrorCases()


@CHATS.of(401, "Unauthorized")
async def _unauthorized(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    credentials: tuple[dict[str, str], ...] = (
        {},
        {"Authorization": "Bearer service_sk_nobodys"},
        {"Authorization": f"Basic {cast.owner.key}"},
        {"Authorization": f"Bearer {cast['removed'].person.key}"},
        {"Cookie": f"loremark_login={cast['removed'].login}", "Sec-Fetch-Site": "same-origin"},
    )
    for route in routes:
        ask = await valid(cast, route)
        for headers in credentials:
            yield ErrorCase(route, await cast.send(cast["anonymous"], route, ask, headers=headers))


@CHATS.of(400, "No valid fields to update")
async def _nothing_valid(cast: Cast, routes: list[Route]) -> AsyncIterator[ErrorCase]:
    bodies: tuple[dict[str, Any], ...] = (
        {},
        {"status": "active"},
        {"status": "deleted", "title": ""},
        {"status": None, "title": None},
        {"title": " \u200b\n"},
        {"messageCount": 3, "name": "Renamed"},
    )
    for route in routes:
        ask = await valid(cast, route)
        for body in bodies:
            yield ErrorCase(route, await cast.send(cast["owner"], route, replace(ask, json=body)))
