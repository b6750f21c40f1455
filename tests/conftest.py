"""Fixtures: both engines, the service in this process, and Loremark as real processes."""

from __future__ import annotations

import gc
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from loremark.base import clock, ids
from tests.servers import lifetime
from tests.support import cheap_passwords, databases, embedding, properties, selection
from tests.support.processes import Loremark
from tests.support.service import Service, Services, run_service, settings_for

properties.load_profile()
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes start in a run


def pytest_xdist_auto_num_workers() -> int:
    """Two workers more than cores: many tests wait for a browser, a database or another process."""
    return 2 + (os.cpu_count() or 1)


def pytest_configure(config: pytest.Config) -> None:
    lifetime.start_all(config)


def pytest_unconfigure(config: pytest.Config) -> None:
    lifetime.stop_all()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.select(config, items)


def pytest_collection_finish() -> None:
    """As the server does: what is there by now stays, and need not be searched again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(scope="session")
def anyio_backend() -> tuple[str, dict[str, bool]]:
    """The event loop that the server uses."""
    return "asyncio", {"use_uvloop": True}


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


@pytest.fixture(scope="session", autouse=True)
def _shared_embedder_and_cheap_passwords() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        embedding.share(patch)
        cheap_passwords.use(patch)
        yield


@pytest.fixture(scope="module")
async def services(anyio_backend: object, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Services]:
    """The running services of a module, one per engine."""
    async with AsyncExitStack() as stack:
        yield Services(stack, tmp_path_factory)


@pytest.fixture
async def service(
    services: Services, engine: str, tmp_path: Path, request: pytest.FixtureRequest
) -> AsyncIterator[Service]:
    """A running service. A test creates its own team; the service is shared with the other tests of its module.

    ``@pytest.mark.settings(LOREMARK_X="…")`` starts one with these settings for this test alone, and so does
    ``@pytest.mark.own_service``: for tests that look at all teams, travel in time or replace parts of the service.
    """
    marker = request.node.get_closest_marker("settings")
    if marker is None and request.node.get_closest_marker("own_service") is None:
        yield await services.get(engine)
        return
    changes: dict[str, str] = dict(marker.kwargs) if marker else {}
    async with run_service(settings_for(tmp_path, databases.fresh(engine, tmp_path), **changes)) as running:
        yield running


@pytest.fixture
def loremark(database_url: str, tmp_path: Path) -> Loremark:
    """A fresh database to start real processes on."""
    return Loremark(tmp_path, database_url)
