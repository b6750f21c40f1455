"""The names that outbound calls ask for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.addresses import Names


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[Names]:
    with Names(monkeypatch) as running:
        yield running
