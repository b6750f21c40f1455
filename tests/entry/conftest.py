"""Commands run as an operator runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import Loremark


@pytest.fixture
def plain(tmp_path: Path) -> Loremark:
    """An installation with nothing in it yet, on the default database."""
    return Loremark(tmp_path, "")
