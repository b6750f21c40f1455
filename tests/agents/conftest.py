"""Fixtures: the installed agents and a scripted model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import install
from tests.agents.model import AgentModel


@pytest.fixture(scope="session")
def packages(request: pytest.FixtureRequest) -> Path:
    """The agents' programs. The first run downloads them and prints a message, because it takes a while."""
    reason = install.missing()
    if reason:
        pytest.skip(reason)
    if not install.is_installed():
        capture = request.config.pluginmanager.getplugin("capturemanager")
        assert capture is not None
        with capture.global_and_fixture_disabled():
            print(f"\ninstalling the agents from npm into {install.folder().parent} (about 2 GB, once) …", flush=True)
    return install.install()


@pytest.fixture
def model() -> Iterator[AgentModel]:
    with AgentModel() as scripted:
        yield scripted
