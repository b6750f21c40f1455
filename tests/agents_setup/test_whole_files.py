"""Files that are all ours: renewed when they are due, known again without a ledger, and never put over a person's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loremark.agents import installing, instructions, status
from loremark.agents.agent import PROJECT, USER, FileWish
from loremark.agents.catalog import AGENTS
from loremark.agents.changes import Whole
from loremark.agents.installing import Plan
from loremark.agents.ledger import Ledger
from loremark.agents.merging import is_whole_ours
from loremark.agents.refusal import Refused
from tests.agents_setup.conftest import Machine, agent, contents, snapshot

RULE = ".cursor/rules/project-memory.mdc"
WHOLE = [("opencode", USER), ("opencode", PROJECT), ("cline", USER), ("cline", PROJECT)]
ELSEWHERE = "/opt/new place/loremark"


def _sync(machine: Machine, memory: str = "Prices are cents.") -> Plan:
    project = str(machine.project)
    plan = installing.plan_files(instructions.wishes(project, memory), "sync", [project], machine.ledger)
    installing.carry_out(plan, machine.ledger)
    return plan


def _kinds(plan: Plan) -> dict[str, str]:
    return {os.path.basename(step.path): status.kind_of(step) for step in plan.steps}


def _whole(machine: Machine, name: str, scope: str) -> list[FileWish]:
    wishes = agent(name).files(machine.wish(scope))
    return [wished for wished in wishes if any(isinstance(change, Whole) for change in wished.changes)]


def test_cursors_rule_is_kept_up_to_date(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    before = snapshot(machine.project)
    assert _kinds(_sync(machine)) == {"AGENTS.md": "created", "project-memory.mdc": "created"}
    again = _sync(machine)
    assert (_kinds(again), again.notes) == ({"AGENTS.md": "unchanged", "project-memory.mdc": "unchanged"}, [])
    later = _sync(machine, "Prices are decimals.")
    assert (_kinds(later)["AGENTS.md"], later.notes) == ("changed", [])
    rule = machine.project / RULE
    text = rule.read_text()
    rule.write_text(text.replace("how to use", "as an earlier version said how to use"))
    renewed = _sync(machine, "Prices are decimals.")
    assert (_kinds(renewed)["project-memory.mdc"], renewed.notes) == ("changed", [])
    assert rule.read_text() == text
    project = str(machine.project)
    gone = installing.plan_removal(instructions.all_wishes(project), "sync", [project], machine.ledger)
    installing.carry_out(gone, machine.ledger)
    assert snapshot(machine.project) == before


def test_cursors_rule_is_known_in_a_fresh_clone(machine: Machine, tmp_path: Path) -> None:
    (machine.project / ".cursor").mkdir()
    _sync(machine)
    machine.ledger = Ledger(str(tmp_path / "another machine"))
    again = _sync(machine)
    assert (again.is_change, again.notes) == (False, [])


def test_a_rule_a_person_wrote_is_left_alone_and_told_of(machine: Machine) -> None:
    rule = machine.project / RULE
    rule.parent.mkdir(parents=True)
    rule.write_text("---\nalwaysApply: true\n---\nMy own notes on memory.\n")
    before = rule.read_bytes()
    for _ in range(2):
        (told,) = _sync(machine).notes
        assert told.startswith(f"{rule} was left alone: there is already a file of that name that is not ours")
        assert rule.read_bytes() == before


def test_a_rule_that_a_person_made_their_own_stays_theirs(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    _sync(machine)
    rule = machine.project / RULE
    rule.write_text("Mine now.\n")
    assert _sync(machine).notes
    assert rule.read_text() == "Mine now.\n"


@pytest.mark.parametrize(("name", "scope"), WHOLE)
def test_a_file_of_an_agent_is_renewed(machine: Machine, name: str, scope: str, tmp_path: Path) -> None:
    machine.install(name, machine.wish(scope))
    again = machine.install(name, machine.wish(scope))
    assert (again.is_change, again.notes) == (False, [])
    machine.ledger = Ledger(str(tmp_path / "another machine"))
    again = machine.install(name, machine.wish(scope))
    assert (again.is_change, again.notes) == (False, []), "known without the ledger"
    moved = machine.install(name, machine.wish(scope, executable=ELSEWHERE))
    assert (moved.is_change, moved.notes) == (True, [])
    paths = [Path(wished.path) for wished in _whole(machine, name, scope)]
    assert paths
    assert all(ELSEWHERE in path.read_text() for path in paths)
    machine.uninstall(name, machine.wish(scope))
    assert contents(machine.root(scope)) == {}


@pytest.mark.parametrize(("name", "scope"), WHOLE)
def test_a_file_of_that_name_a_person_wrote_is_left_alone(machine: Machine, name: str, scope: str) -> None:
    path = Path(_whole(machine, name, scope)[0].path)
    path.parent.mkdir(parents=True)
    path.write_text("// mine\n")
    if name == "opencode":
        with pytest.raises(Refused, match="not ours"):
            machine.install(name, machine.wish(scope))
        assert status.state_of(agent(name), machine.wish(scope), machine.ledger) == "blocked"
    else:
        (told,) = machine.install(name, machine.wish(scope)).notes
        assert "not ours" in told
    machine.uninstall(name, machine.wish(scope))
    assert contents(machine.root(scope)) == {str(path.relative_to(machine.root(scope))): b"// mine\n"}


def test_every_file_that_is_all_ours_says_so_where_it_is_looked_for(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    wishes = [wished for one in AGENTS for scope in (USER, PROJECT) for wished in one.files(machine.wish(scope))]
    wishes += instructions.wishes(str(machine.project), "Prices are cents.")
    texts = [change.text for wished in wishes for change in wished.changes if isinstance(change, Whole)]
    assert len(texts) > 10
    assert all(map(is_whole_ours, texts))
