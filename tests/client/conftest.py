"""Runs each test with both clients."""

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
    """Creates clients and closes them after the test."""
    monkeypatch.setattr(protocol, "_FIRST_DELAY_S", 0.001)
    created: list[Either] = []

    def create(*arguments: Any, **options: Any) -> Either:
        client = KINDS[request.param](*arguments, **options)
        created.append(client)
        return client

    yield create
    for client in created:
        client.close()
