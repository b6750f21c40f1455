"""Every error of the contract, triggered with real requests and compared with its exact text."""

from __future__ import annotations

import re

import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.contract.cast import Cast
from tests.contract.contract import ANY, Error, load
from tests.contract.error_cases import EVERYWHERE
from tests.contract.error_cases_accounts import OWN
from tests.contract.error_cases_ask import ASK
from tests.contract.error_cases_billing import BILLING
from tests.contract.error_cases_brain import BRAIN
from tests.contract.error_cases_capture import CAPTURE
from tests.contract.error_cases_chats import CHATS
from tests.contract.error_cases_genesis import GENESIS
from tests.contract.error_cases_hygiene import HYGIENE
from tests.contract.error_cases_memory import MEMORY
from tests.contract.error_cases_transfer import TRANSFER
from tests.contract.examples import BY_NAME, UNIMPLEMENTED_ERRORS
from tests.contract.response_checks import error_faults, header_faults

pytestmark = pytest.mark.anyio

CONTRACT = load()
ERROR_CASES = {**EVERYWHERE, **OWN, **CAPTURE, **MEMORY, **CHATS, **ASK, **BRAIN, **GENESIS, **HYGIENE, **BILLING}
ERROR_CASES |= TRANSFER


def _routes_of(row: Error) -> list[Route]:
    """The routes of a row, without endpoints that are not implemented."""
    names = [endpoint.name for endpoint in CONTRACT.endpoints if row in CONTRACT.errors_of(endpoint.name)]
    return [
        BY_NAME[name] for name in names if name in BY_NAME and (name, row.status, row.text) not in UNIMPLEMENTED_ERRORS
    ]


def _key(row: Error) -> tuple[int, str]:
    return row.status, row.text or row.cause


ROWS = [row for row in CONTRACT.errors if _routes_of(row)]


def test_every_error_row_has_a_case() -> None:
    assert {_key(row) for row in ROWS} == set(ERROR_CASES)


def test_every_error_of_the_code_is_in_the_contract() -> None:
    known = {(row.status, re.sub(r"\{\w+\}", "{}", row.text)) for row in CONTRACT.errors}
    declared = {(kind.status, re.sub(r"\{\w+\}", "{}", kind.text)) for kind in errors.table().values()}
    free_wording = {(400, "{}")}
    assert declared - free_wording <= known


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.status} {row.text or row.cause[:20]} {row.where[0]}")
async def test_errors_match_the_contract(cast: Cast, row: Error) -> None:
    routes = _routes_of(row)
    covered: set[str] = set()
    faults: list[str] = []
    async for route, answer, names in ERROR_CASES[_key(row)](cast, routes):
        where = route.name if route else answer.request.url.path
        covered.add(where)
        found = error_faults(answer, row, names) + header_faults(answer, route)
        needs_delay = row.status in (429, 503) and route is not None and route.counted
        if needs_delay and not answer.headers.get("retry-after", "").isdigit():
            found.append("no Retry-After")
        faults += [f"{where}: {fault}" for fault in found]
    assert faults == []
    assert covered, "no error case ran"
    if ANY not in row.where:
        assert covered == {route.name for route in routes}


@pytest.mark.parametrize("name", sorted(name for name, _, _ in UNIMPLEMENTED_ERRORS))
def test_unimplemented_errors_are_not_declared(name: str) -> None:
    """Remove an error from the list when it is implemented."""
    for status, text in [(status, text) for endpoint, status, text in UNIMPLEMENTED_ERRORS if endpoint == name]:
        assert (status, text) in {(row.status, row.text) for row in CONTRACT.errors_of(name)}
        assert (status, text) not in {(kind.status, kind.text) for kind in BY_NAME[name].errors}
