"""Loremark processes that are killed and restarted."""

from __future__ import annotations

import pytest

from tests.chaos.preparation import prepare
from tests.support.processes import Loremark


@pytest.fixture
def loremark(loremark: Loremark) -> Loremark:
    return prepare(loremark)
