"""Genesis over a real server: whatever is sent, signed and all, is understood or refused in the agreed words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.web.running import SIGNED_ROUTES, Running, assert_refused
from tests.web.test_bad_bodies import DEEP_OBJECT, ENDLESS, NOT_AN_OBJECT, NOT_JSON, TOO_LARGE

GENESIS = [route for route in SIGNED_ROUTES if route.group == "genesis"]
POSTED = [route for route in GENESIS if route.method == "POST"]
WRONG: dict[str, tuple[Any, ...]] = {
    "projectId": (None, 5, "", [], {}, "x\0y", "x" * 101),
    "branch": (None, 5, "", " ", [], "x\0y", "x" * 256),
    "maxFiles": (None, 0, -1, 5_001, 1.5, "5", True, 10**30),
    "selective": (None, 0, 1, "true", []),
}


@pytest.mark.parametrize("route", POSTED, ids=lambda route: route.name)
def test_what_is_no_request_is_refused_in_one_wording(running: Running, route: Route) -> None:
    for body in (*NOT_JSON.values(), *NOT_AN_OBJECT.values(), *ENDLESS.values(), DEEP_OBJECT, b"", b"{}"):
        answer = running.send(route, body, "application/json")
        assert assert_refused(answer, 400) == errors.INVALID_BODY.text, body[:60]
    assert_refused(running.send(route, b" " * TOO_LARGE, "application/json"), 413)
    assert_refused(running.send(route, b"{}", "text/plain"), 415)


def test_fields_of_the_wrong_kind_are_refused_in_the_same_wording(running: Running) -> None:
    start = next(route for route in POSTED if route.name == "genesis.start")
    for field, values in WRONG.items():
        for value in values:
            body = json.dumps({"projectId": running.project_id, field: value}).encode()
            answer = running.send(start, body, "application/json")
            assert assert_refused(answer, 400) == errors.INVALID_BODY.text, (field, value)


def test_a_branch_that_is_no_name_is_no_fault_of_ours(running: Running) -> None:
    """It is refused before git hears of it, or the scan says so."""
    start = next(route for route in POSTED if route.name == "genesis.start")
    for branch in ("--upload-pack=touch /tmp/x", "a..b", "@{-1}", "a b", "\u2028", "refs/heads/main"):
        body = json.dumps({"projectId": running.project_id, "branch": branch}).encode()
        answer = running.send(start, body, "application/json")
        assert assert_refused(answer, 400) in (errors.NO_REPOSITORY.text, errors.INVALID_BODY.text), branch
