"""End-to-end tests with real agents: briefing, tools, capture and memory, also during an outage."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agents import agent_specs
from tests.agents.journey import open_journey
from tests.agents.model import AgentModel
from tests.agents.testbed import AgentEnvironment
from tests.support import databases

pytestmark = pytest.mark.slow

_ON_SQLITE = [(agent, "sqlite") for agent in agent_specs.AGENTS]


@pytest.fixture
def testbed(engine: str, tmp_path: Path) -> Iterator[AgentEnvironment]:
    opened = AgentEnvironment.open(tmp_path, databases.fresh(engine, tmp_path / "database"))
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("agent", "engine"),
    [*_ON_SQLITE, (agent_specs.CLAUDE, "postgresql")],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_agent_end_to_end(
    agent: agent_specs.Agent, testbed: AgentEnvironment, packages: Path, model: AgentModel
) -> None:
    journey = open_journey(agent, testbed, packages, model)
    try:
        journey.measure_baseline()
        journey.install()
        events = journey.first_session()
        journey.next_session(events)
        journey.without_a_server()
        journey.full_memory()
    finally:
        journey.runner.end_processes()
    print(journey.summary())
