"""Each real agent lives through the whole story: briefed, served, captured, remembered; also without a server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import cast
from tests.agents.journey import open_journey
from tests.agents.model import AgentModel
from tests.agents.world import World
from tests.support import databases

pytestmark = pytest.mark.slow

_ON_SQLITE = [(agent, "sqlite") for agent in cast.AGENTS]


@pytest.fixture
def world(engine: str, tmp_path: Path) -> Iterator[World]:
    opened = World.open(tmp_path, databases.fresh(engine, tmp_path / "database"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("agent", "engine"),
    [*_ON_SQLITE, (cast.CLAUDE, "postgresql")],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_an_agent_remembers(agent: cast.Agent, world: World, packages: Path, model: AgentModel) -> None:
    journey = open_journey(agent, world, packages, model)
    try:
        journey.run_without_us()
        journey.install()
        events = journey.first_session()
        journey.next_session(events)
        journey.without_a_server()
        journey.full_memory()
    finally:
        journey.stage.end_processes()
    print(journey.told())
