"""Quick starts: processes that the tests start share their compiled Python, whatever the environment says."""

from __future__ import annotations

import pytest


def bytecode(factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables for a process; the folder is shared by all workers of the run."""
    folder = factory.getbasetemp().parent / "pycache"
    return {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder)}
