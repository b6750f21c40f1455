"""One server per database engine and one browser per run; every test gets its own team and window.

Tests are ``async`` functions that run on the browser's event loop.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.browser.codebase import PausableGitServer
from tests.browser.driver import Driver
from tests.browser.site import Site, User
from tests.browser.visit import Visit, open_visit
from tests.servers.https import Authority, Receiver
from tests.support import databases
from tests.support.processes import Loremark

_TEST_S = 300.0
OpenVisit = Callable[..., Coroutine[Any, Any, Visit]]
SETTINGS = {"LOREMARK_REGISTRATION": "open", "LOREMARK_KEEPALIVE_S": "2", "LOREMARK_OUTBOUND_ALLOW": "127.0.0.0/8"}


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    if not inspect.iscoroutinefunction(pyfuncitem.obj) or "driver" not in pyfuncitem.funcargs:
        return None
    driver = pyfuncitem.funcargs["driver"]
    assert isinstance(driver, Driver)
    names = pyfuncitem._fixtureinfo.argnames
    driver.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in names}), _TEST_S)
    return True


@pytest.fixture(scope="session")
def driver() -> Iterator[Driver]:
    driving = Driver()
    yield driving
    driving.close()


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def receiver(authority: Authority) -> Iterator[Receiver]:
    """An HTTPS server that receives webhooks."""
    with Receiver(authority) as running:
        yield running


@pytest.fixture(scope="session")
def git_server(authority: Authority, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PausableGitServer]:
    """A git host that the site is allowed to read from."""
    with PausableGitServer(authority, tmp_path_factory.mktemp("served")) as running:
        yield running


@pytest.fixture(scope="session")
def sites(
    tmp_path_factory: pytest.TempPathFactory, authority: Authority, git_server: PausableGitServer
) -> Iterator[Callable[[str], Site]]:
    """A server for each database engine, started on first use."""
    running: dict[str, Site] = {}
    with ExitStack() as stack:

        def site_of(engine: str) -> Site:
            if engine not in running:
                folder = tmp_path_factory.mktemp(f"site-{engine}")
                settings = {**SETTINGS, "LOREMARK_CA_FILE": str(authority.ca_file), **git_server.settings}
                started = Loremark(folder, databases.fresh(engine, folder), settings).start()
                running[engine] = Site(stack.enter_context(started).wait_ready(60.0), engine)
            return running[engine]

        yield site_of


@pytest.fixture
def site(engine: str, sites: Callable[[str], Site]) -> Site:
    return sites(engine)


@pytest.fixture
def olga(site: Site) -> User:
    """The owner of a new team with a project."""
    return site.team()


@pytest.fixture
def visit(driver: Driver, site: Site) -> Iterator[OpenVisit]:
    """``await visit(user)`` opens a window, signed out without a user. Windows are closed and checked afterwards."""
    opened: list[Visit] = []

    async def open_one(user: User | None = None, **options: Any) -> Visit:
        opened.append(await open_visit(driver, site.url, user, **options))
        return opened[-1]

    yield open_one
    for window in opened:
        driver.run(window.context.close())
    for window in opened:
        window.check()
