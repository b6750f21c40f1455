"""Commands run as an operator runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.entry.quick import bytecode
from tests.support.processes import Cairn


@pytest.fixture
def quick(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return bytecode(tmp_path_factory)


@pytest.fixture
def cairn(cairn: Cairn, quick: dict[str, str]) -> Cairn:
    cairn.settings |= quick
    return cairn


@pytest.fixture
def plain(tmp_path: Path, quick: dict[str, str]) -> Cairn:
    """An installation with nothing in it yet, on the default database."""
    return Cairn(tmp_path, "", quick)
