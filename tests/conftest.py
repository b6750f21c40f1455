"""Fixtures: both engines, the service in this process, and Loremark as real processes."""

from __future__ import annotations

import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from zlib import crc32

import pytest

from loremark.base import clock, ids
from tests.servers import lifetime
from tests.support import bytecode, databases
from tests.support.processes import Loremark
from tests.support.service import Service, run_service, settings_for
from tests.support.starved import pytest_runtest_protocol as pytest_runtest_protocol
from tests.support.starved import pytest_terminal_summary as pytest_terminal_summary


def pytest_configure(config: pytest.Config) -> None:
    bytecode.share(config)
    lifetime.start_all(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    lifetime.stop_all()
    bytecode.forget()


_LONG = (
    ("test_the_pipeline_survives_kill_in_every_stage", "sqlite-after"),
    ("test_the_pipeline_survives_kill_in_every_stage", "postgresql-before"),
    ("test_a_scan_survives_kill", "sqlite-in short"),
    ("test_killed_sellers_and_spenders_lose_no_credit_and_count_none_twice", "sqlite"),
    ("test_the_counters_are_what_is_there_after_every_kill", "sqlite"),
    ("test_an_operator_looks_at_jobs_and_tries_again", "postgresql"),
    ("test_no_acknowledged_write_is_lost", "sqlite"),
    ("test_no_acknowledged_event_is_lost_and_no_session_split", "postgresql"),
)
"""Long stories that are told of one engine in every run, and of the other in the slow one."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    long = {f"{name}[{case}]" for name, case in _LONG}
    for item in items:
        if item.name in long or _is_other_page(item):
            item.add_marker(pytest.mark.slow)


def _is_other_page(item: pytest.Item) -> bool:
    """What a page does has nothing to do with the engine: every run has half of these stories on each of the two."""
    if "browser" not in item.path.parts or not isinstance(item, pytest.Function) or not hasattr(item, "callspec"):
        return False
    engine = item.callspec.params.get("engine")
    told = databases.ENGINES[crc32(item.originalname.encode()) % 2]
    return engine is not None and engine != told


def pytest_collection_finish() -> None:
    """As the server does: what is there by now stays, and need not be searched again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _back_to_the_present() -> Iterator[None]:
    """Identifiers only ever grow: those of a test that travelled in time shall not reach into the next one."""
    yield
    if ids._last >> 80 > clock.now_ms():
        ids._last = 0


@pytest.fixture(params=databases.ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """Every test that touches the database runs on both engines."""
    return str(request.param)


@pytest.fixture
def database_url(engine: str, tmp_path: Path) -> str:
    return databases.fresh(engine, tmp_path)


@pytest.fixture
async def service(database_url: str, tmp_path: Path, request: pytest.FixtureRequest) -> AsyncIterator[Service]:
    """The service on a fresh database. ``@pytest.mark.settings(LOREMARK_X="…")`` changes its settings."""
    marker = request.node.get_closest_marker("settings")
    changes: dict[str, str] = dict(marker.kwargs) if marker else {}
    async with run_service(settings_for(tmp_path, database_url, **changes)) as running:
        yield running


@pytest.fixture
def loremark(database_url: str, tmp_path: Path) -> Loremark:
    """A fresh database to start real processes on."""
    return Loremark(tmp_path, database_url)
