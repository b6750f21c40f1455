"""Which tests run when: ``make test`` runs a selection in minutes, ``make nightly`` runs everything.

In ``make test`` a test that takes an ``engine`` runs on the one that the hash of its name selects; tests below
``_ALWAYS_BOTH`` (unless marked ``one_engine``) and tests marked ``both_engines`` run on both. Tests marked ``nightly``
are left out.
"""

from __future__ import annotations

import os
from zlib import crc32

import pytest

from tests.support.databases import ENGINES

NIGHTLY = os.environ.get("LOREMARK_TEST_NIGHTLY") == "1"
_ALWAYS_BOTH = ("tests/chaos/", "tests/contract/", "tests/journeys/", "tests/storage/")


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
    params = item.callspec.params
    engine = next((str(params[name]) for name in ("engine", "started", "cast") if params.get(name) in ENGINES), None)
    if engine is None:
        return True
    always_both = item.nodeid.startswith(_ALWAYS_BOTH) and not item.get_closest_marker("one_engine")
    if always_both or item.get_closest_marker("both_engines"):
        return True
    name = item.nodeid.replace(engine, "", 1)
    return ENGINES[crc32(name.encode()) % len(ENGINES)] == engine
