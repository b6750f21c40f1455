"""Cairn as processes that are killed and started again."""

from __future__ import annotations

import pytest

from tests.chaos.house import prepare
from tests.entry.quick import bytecode
from tests.support.processes import Cairn


@pytest.fixture(scope="session")
def quick(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return bytecode(tmp_path_factory)


@pytest.fixture
def cairn(cairn: Cairn, quick: dict[str, str]) -> Cairn:
    return prepare(cairn, quick)
