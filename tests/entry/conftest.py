"""Runs commands like an operator does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.processes import Loremark


@pytest.fixture
def plain(tmp_path: Path) -> Loremark:
    """An empty installation on the default database."""
    return Loremark(tmp_path, "")
