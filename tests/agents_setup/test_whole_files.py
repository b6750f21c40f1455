"""Files that we own completely: updated, recognized without a ledger, and never written over the user's files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loremark.agents import installer, instructions, status
from loremark.agents.agent import PROJECT, USER, FilePlan
from loremark.agents.catalog import AGENTS
from loremark.agents.changes import WholeFile
from loremark.agents.errors import EditError
from loremark.agents.installer import Plan
from loremark.agents.ledger import Ledger
from loremark.agents.merging import is_owned_file
from tests.agents_setup.conftest import Machine, agent, contents, snapshot

RULE = ".cursor/rules/project-memory.mdc"
WHOLE = [("opencode", USER), ("opencode", PROJECT), ("cline", USER), ("cline", PROJECT)]
ELSEWHERE = "/opt/new place/loremark"


def _sync(machine: Machine, memory: str = "Prices are cents.") -> Plan:
    project = str(machine.project)
    plan = installer.plan_files(instructions.plan_instruction_files(project, memory), "sync", [project], machine.ledger)
    installer.apply_plan(plan, machine.ledger)
    return plan


def _kinds(plan: Plan) -> dict[str, str]:
    return {os.path.basename(step.path): status.change_kind(step) for step in plan.steps}


def _whole(machine: Machine, name: str, scope: str) -> list[FilePlan]:
    planned_files = agent(name).files(machine.options(scope))
    return [planned for planned in planned_files if any(isinstance(change, WholeFile) for change in planned.changes)]


def test_cursor_rule_is_updated(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    before = snapshot(machine.project)
    assert _kinds(_sync(machine)) == {"AGENTS.md": "created", "project-memory.mdc": "created"}
    again = _sync(machine)
    assert (_kinds(again), again.notes) == ({"AGENTS.md": "unchanged", "project-memory.mdc": "unchanged"}, [])
    later = _sync(machine, "Prices are decimals.")
    assert (_kinds(later)["AGENTS.md"], later.notes) == ("changed", [])
    rule = machine.project / RULE
    text = rule.read_text()
    rule.write_text(text.replace("how to use", "in an earlier version, how to use"))
    renewed = _sync(machine, "Prices are decimals.")
    assert (_kinds(renewed)["project-memory.mdc"], renewed.notes) == ("changed", [])
    assert rule.read_text() == text
    project = str(machine.project)
    gone = installer.plan_removal(instructions.all_instruction_files(project), "sync", [project], machine.ledger)
    installer.apply_plan(gone, machine.ledger)
    assert snapshot(machine.project) == before


def test_cursor_rule_is_recognized_in_a_fresh_clone(machine: Machine, tmp_path: Path) -> None:
    (machine.project / ".cursor").mkdir()
    _sync(machine)
    machine.ledger = Ledger(str(tmp_path / "another machine"))
    again = _sync(machine)
    assert (again.is_change, again.notes) == (False, [])


def test_a_users_own_rule_is_left_alone_and_reported(machine: Machine) -> None:
    rule = machine.project / RULE
    rule.parent.mkdir(parents=True)
    rule.write_text("---\nalwaysApply: true\n---\nMy own notes on memory.\n")
    before = rule.read_bytes()
    for _ in range(2):
        (note,) = _sync(machine).notes
        assert note.startswith(f"{rule} was left unchanged: there is already a file with that name")
        assert rule.read_bytes() == before


def test_a_rule_replaced_by_the_user_is_kept(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    _sync(machine)
    rule = machine.project / RULE
    rule.write_text("Mine now.\n")
    assert _sync(machine).notes
    assert rule.read_text() == "Mine now.\n"


@pytest.mark.parametrize(("name", "scope"), WHOLE)
def test_an_agents_file_is_updated(machine: Machine, name: str, scope: str, tmp_path: Path) -> None:
    machine.install(name, machine.options(scope))
    again = machine.install(name, machine.options(scope))
    assert (again.is_change, again.notes) == (False, [])
    machine.ledger = Ledger(str(tmp_path / "another machine"))
    again = machine.install(name, machine.options(scope))
    assert (again.is_change, again.notes) == (False, []), "recognized without the ledger"
    moved = machine.install(name, machine.options(scope, executable=ELSEWHERE))
    assert (moved.is_change, moved.notes) == (True, [])
    paths = [Path(planned.path) for planned in _whole(machine, name, scope)]
    assert paths
    assert all(ELSEWHERE in path.read_text() for path in paths)
    machine.uninstall(name, machine.options(scope))
    assert contents(machine.root(scope)) == {}


@pytest.mark.parametrize(("name", "scope"), WHOLE)
def test_a_users_file_with_the_same_name_is_left_alone(machine: Machine, name: str, scope: str) -> None:
    path = Path(_whole(machine, name, scope)[0].path)
    path.parent.mkdir(parents=True)
    path.write_text("// mine\n")
    if name == "opencode":
        with pytest.raises(EditError, match="did not create"):
            machine.install(name, machine.options(scope))
        assert status.install_state(agent(name), machine.options(scope), machine.ledger) == status.BLOCKED
    else:
        (note,) = machine.install(name, machine.options(scope)).notes
        assert "did not create" in note
    machine.uninstall(name, machine.options(scope))
    assert contents(machine.root(scope)) == {str(path.relative_to(machine.root(scope))): b"// mine\n"}


def test_every_file_that_we_own_has_the_mark(machine: Machine) -> None:
    (machine.project / ".cursor").mkdir()
    planned_files = [
        planned for one in AGENTS for scope in (USER, PROJECT) for planned in one.files(machine.options(scope))
    ]
    planned_files += instructions.plan_instruction_files(str(machine.project), "Prices are cents.")
    texts = [change.text for planned in planned_files for change in planned.changes if isinstance(change, WholeFile)]
    assert len(texts) > 10
    assert all(map(is_owned_file, texts))
