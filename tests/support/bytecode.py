"""Every process of a run shares its compiled Python, whatever the environment says: hundreds are started."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_FOLDER = "PYTHONPYCACHEPREFIX"
_made: list[str] = []


def share(config: pytest.Config) -> None:
    """For this process's children, and so for the workers and theirs."""
    if hasattr(config, "workerinput"):
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    _made.append(tempfile.mkdtemp(prefix="loremark-bytecode-"))
    os.environ[_FOLDER] = _made[-1]


def forget() -> None:
    for folder in _made:
        shutil.rmtree(folder, ignore_errors=True)
    _made.clear()
