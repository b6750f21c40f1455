"""Genesis on a real server: any signed body is accepted or refused with the documented error."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.web.running import SIGNED_ROUTES, RunningServer, assert_refused
from tests.web.test_bad_bodies import DEEP_OBJECT, NOT_AN_OBJECT, NOT_JSON, OVERSIZED, TOO_LARGE

GENESIS_ROUTES = [route for route in SIGNED_ROUTES if route.group == "genesis"]
POST_ROUTES = [route for route in GENESIS_ROUTES if route.method == "POST"]
INVALID_FIELDS: dict[str, tuple[Any, ...]] = {
    "projectId": (None, 5, "", [], {}, "x\0y", "x" * 101),
    "branch": (None, 5, "", " ", [], "x\0y", "x" * 256),
    "maxFiles": (None, 0, -1, 5_001, 1.5, "5", True, 10**30),
    "selective": (None, 0, 1, "true", []),
}


@pytest.mark.parametrize("route", POST_ROUTES, ids=lambda route: route.name)
def test_invalid_bodies_get_one_error(server: RunningServer, route: Route) -> None:
    for body in (*NOT_JSON.values(), *NOT_AN_OBJECT.values(), *OVERSIZED.values(), DEEP_OBJECT, b"", b"{}"):
        response = server.send(route, body, "application/json")
        assert assert_refused(response, 400) == errors.INVALID_BODY.text, body[:60]
    assert_refused(server.send(route, b" " * TOO_LARGE, "application/json"), 413)
    assert_refused(server.send(route, b"{}", "text/plain"), 415)


def test_invalid_fields_get_the_same_error(server: RunningServer) -> None:
    start = next(route for route in POST_ROUTES if route.name == "genesis.start")
    for field, values in INVALID_FIELDS.items():
        for value in values:
            body = json.dumps({"projectId": server.project_id, field: value}).encode()
            response = server.send(start, body, "application/json")
            assert assert_refused(response, 400) == errors.INVALID_BODY.text, (field, value)


def test_invalid_branch_names_are_refused(server: RunningServer) -> None:
    """Refused before git sees them."""
    start = next(route for route in POST_ROUTES if route.name == "genesis.start")
    for branch in ("--upload-pack=touch /tmp/x", "a..b", "@{-1}", "a b", "\u2028", "refs/heads/main"):
        body = json.dumps({"projectId": server.project_id, "branch": branch}).encode()
        response = server.send(start, body, "application/json")
        assert assert_refused(response, 400) in (errors.NO_REPOSITORY.text, errors.INVALID_BODY.text), branch
