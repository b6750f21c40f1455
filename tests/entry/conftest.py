"""Commands run as an operator runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import Cairn


@pytest.fixture
def plain(tmp_path: Path) -> Cairn:
    """An installation with nothing in it yet, on the default database."""
    return Cairn(tmp_path, "")
