"""Temporary copies of the program are recognized by the folder they run from."""

from __future__ import annotations

import pytest

from loremark.base.folders import is_temporary

HOME = "/home/ada"


@pytest.mark.parametrize(
    ("path", "environment", "expected"),
    [
        (f"{HOME}/.cache/uv/archive-v0/Zk3", {}, True),
        (f"{HOME}/.cache/pipx/9f2a", {}, True),
        (f"{HOME}/Library/Caches/pipx/9f2a", {}, True),
        ("/var/uv/archive-v0/Zk3", {"UV_CACHE_DIR": "/var/uv"}, True),
        ("/var/caches/uv/archive-v0/Zk3", {"XDG_CACHE_HOME": "/var/caches"}, True),
        ("/var/uv-tools/loremark", {"UV_CACHE_DIR": "/var/uv"}, False),
        (f"{HOME}/.local/share/uv/tools/loremark", {}, False),
        (f"{HOME}/.local/pipx/venvs/loremark", {}, False),
        (f"{HOME}/code/loremark/.venv", {"UV_CACHE_DIR": ""}, False),
    ],
)
def test_programs_in_a_cache_are_temporary(path: str, environment: dict[str, str], expected: bool) -> None:
    assert is_temporary(path, environment) is expected
