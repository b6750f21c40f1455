"""Every refusal of the contract that can happen today, provoked for real and compared word by word."""

from __future__ import annotations

import re

import pytest

from loremark.base import errors
from loremark.web.routes import Route
from tests.contract.answers import error_faults, header_faults
from tests.contract.cast import Cast
from tests.contract.contract import ANY, Error, load
from tests.contract.examples import BY_NAME, NOT_YET
from tests.contract.provocations import EVERYWHERE
from tests.contract.provocations_ask import ASK
from tests.contract.provocations_billing import BILLING
from tests.contract.provocations_brain import BRAIN
from tests.contract.provocations_capture import CAPTURE
from tests.contract.provocations_chats import CHATS
from tests.contract.provocations_genesis import GENESIS
from tests.contract.provocations_hygiene import HYGIENE
from tests.contract.provocations_memory import MEMORY
from tests.contract.provocations_own import OWN
from tests.contract.provocations_transfer import TRANSFER

pytestmark = pytest.mark.anyio

CONTRACT = load()
PROVOCATIONS = {**EVERYWHERE, **OWN, **CAPTURE, **MEMORY, **CHATS, **ASK, **BRAIN, **GENESIS, **HYGIENE, **BILLING}
PROVOCATIONS |= TRANSFER


def _routes_of(row: Error) -> list[Route]:
    """The built routes a row is about; those of endpoints that are still missing drop out by themselves."""
    names = [endpoint.name for endpoint in CONTRACT.endpoints if row in CONTRACT.errors_of(endpoint.name)]
    return [BY_NAME[name] for name in names if name in BY_NAME and (name, row.status, row.text) not in NOT_YET]


def _key(row: Error) -> tuple[int, str]:
    return row.status, row.text or row.cause


ROWS = [row for row in CONTRACT.errors if _routes_of(row)]


def test_every_row_of_what_is_built_can_be_provoked_and_nothing_else() -> None:
    assert {_key(row) for row in ROWS} == set(PROVOCATIONS)


def test_the_code_can_say_nothing_that_the_contract_does_not_know() -> None:
    known = {(row.status, re.sub(r"\{\w+\}", "{}", row.text)) for row in CONTRACT.errors}
    said = {(kind.status, re.sub(r"\{\w+\}", "{}", kind.text)) for kind in errors.table().values()}
    free_wording = {(400, "{}")}
    assert said - free_wording <= known


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.status} {row.text or row.cause[:20]} {row.where[0]}")
async def test_a_refusal_is_worded_as_in_the_contract(cast: Cast, row: Error) -> None:
    routes = _routes_of(row)
    provoked: set[str] = set()
    faults: list[str] = []
    async for route, answer, names in PROVOCATIONS[_key(row)](cast, routes):
        where = route.name if route else answer.request.url.path
        provoked.add(where)
        found = error_faults(answer, row, names) + header_faults(answer, route)
        needs_delay = row.status in (429, 503) and route is not None and route.counted
        if needs_delay and not answer.headers.get("retry-after", "").isdigit():
            found.append("no Retry-After")
        faults += [f"{where}: {fault}" for fault in found]
    assert faults == []
    assert provoked, "nothing was provoked"
    if ANY not in row.where:
        assert provoked == {route.name for route in routes}


@pytest.mark.parametrize("name", sorted(name for name, _, _ in NOT_YET))
def test_what_is_not_refused_yet_is_in_the_contract_and_not_declared(name: str) -> None:
    """Whoever builds the refusal takes it off the list."""
    for status, text in [(status, text) for endpoint, status, text in NOT_YET if endpoint == name]:
        assert (status, text) in {(row.status, row.text) for row in CONTRACT.errors_of(name)}
        assert (status, text) not in {(kind.status, kind.text) for kind in BY_NAME[name].errors}
