"""Shares compiled bytecode between the hundreds of processes of a test run, regardless of the environment."""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest

_VARIABLE = "PYTHONPYCACHEPREFIX"
_folders: list[str] = []


def share(config: pytest.Config) -> None:
    """Set it up for child processes, including test workers and their children."""
    if hasattr(config, "workerinput"):
        return
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    _folders.append(tempfile.mkdtemp(prefix="loremark-bytecode-"))
    os.environ[_VARIABLE] = _folders[-1]


def forget() -> None:
    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    _folders.clear()
