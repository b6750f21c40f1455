"""Each test of a client is told of both."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from loremark.client import protocol
from tests.client.either import KINDS, Either
from tests.client.scripted import Scripted, scripted


@pytest.fixture
def script() -> Iterator[Scripted]:
    with scripted() as server:
        yield server


@pytest.fixture(params=KINDS)
def connect(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Either]]:
    """Makes a client; those it made are closed in the end."""
    monkeypatch.setattr(protocol, "_FIRST_PAUSE_S", 0.001)
    made: list[Either] = []

    def make(*arguments: Any, **options: Any) -> Either:
        client = KINDS[request.param](*arguments, **options)
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()
