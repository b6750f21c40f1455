"""Which tests run when: ``make test`` runs a selection in minutes, ``make nightly`` runs everything.

In ``make test`` a test that takes an ``engine`` runs on the one that the hash of its name selects; tests of the
storage and tests marked ``both_engines`` run on both. Of a test marked ``sampled`` a quarter of the cases runs, chosen
by the hash of their names. Tests marked ``nightly`` are left out.
"""

from __future__ import annotations

import os
from zlib import crc32

import pytest

from tests.support.databases import ENGINES

NIGHTLY = os.environ.get("LOREMARK_TEST_NIGHTLY") == "1"
_ALWAYS_BOTH = "tests/storage/"
_SAMPLED = 4


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselect the tests that only run at night."""
    if NIGHTLY:
        return
    left_out = [item for item in items if not _runs_by_day(item)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if _runs_by_day(item)]


def _runs_by_day(item: pytest.Item) -> bool:
    if item.get_closest_marker("nightly"):
        return False
    if not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return True
    if item.get_closest_marker("sampled") and crc32(item.nodeid.encode()) % _SAMPLED:
        return False
    params = item.callspec.params
    engine = next((str(params[name]) for name in ("engine", "started", "cast") if params.get(name) in ENGINES), None)
    if engine is None:
        return True
    if item.nodeid.startswith(_ALWAYS_BOTH) or item.get_closest_marker("both_engines"):
        return True
    name = item.nodeid.replace(engine, "", 1)
    return ENGINES[crc32(name.encode()) % len(ENGINES)] == engine
