"""Cairn as processes that are killed and started again."""

from __future__ import annotations

import pytest

from tests.chaos.house import prepare
from tests.support.processes import Cairn


@pytest.fixture
def cairn(cairn: Cairn) -> Cairn:
    return prepare(cairn)
