"""``loremark hygiene``: only selected actions of a plan are applied."""

from __future__ import annotations

import pytest

from loremark.cli.framework import USAGE
from tests.cli.harness import Cli, Server
from tests.cli.project_memory import ProjectMemory
from tests.cli.terminal import Terminal

FACTS = (
    ("Sessions are kept in Redis", "Sessions were lost after a restart, so we keep them in Redis now."),
    ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones."),
    ("Errors are wrapped", "Errors are wrapped with the operation's name, so that a log line tells where it began."),
)


@pytest.fixture
def memory(olga: Cli, server: Server) -> ProjectMemory:
    """A memory with a vague title and a duplicate."""
    memory = ProjectMemory(olga, server)
    ids = memory.learn(*FACTS)
    same = {"content": FACTS[2][1], "type": "convention", "schemaKey": "root/errors"}
    for title, change in (
        (FACTS[0][0], {"title": "Fix bug"}),
        (FACTS[1][0], {"title": "Errors are wrapped with the operation's name", **same}),
        (FACTS[2][0], {"title": "Errors are wrapped with the operation's name", **same}),
    ):
        server.http.patch(f"/api/v2/items/{ids[title]}", json={**change, "status": "approved"}).raise_for_status()
    return memory


def test_plan_and_apply_safe_actions(memory: ProjectMemory) -> None:
    run = memory.cli.run
    plan_only = run("hygiene")
    assert "  -Fix bug\n  +" in plan_only.out
    assert "MERGE_MEMORIES" in plan_only.err
    assert "(plan hyg_" in plan_only.err
    assert plan_only.err.endswith("No actions selected; nothing was changed.\n")
    assert len(memory.items("--status", "approved")) == 3
    refused = run("hygiene", "--apply-safe")
    assert (refused.code, refused.err.splitlines()[-1]) == (1, "loremark: nothing was changed; confirm with --yes")
    assert run("hygiene", "--plan", "hyg_x").code == USAGE

    plan = run("hygiene", "--mode", "weekly", "--json").json["plan"]
    safe = [action["id"] for action in plan["actions"] if not action["requiresHumanApproval"]]
    risky = [action["id"] for action in plan["actions"] if action["requiresHumanApproval"]]
    assert safe
    assert risky
    done = run("hygiene", "--plan", plan["planId"], "--select", ",".join(safe), "--yes", "--json").json["applied"]
    assert [result["status"] for result in done["results"]] == ["success"] * len(safe)
    assert not [item for item in memory.items() if item["title"] == "Fix bug"]
    again = run("hygiene", "--plan", plan["planId"], "--select", safe[0], "--yes")
    assert (again.out, again.err) == ("0 applied, 1 skipped\n", f"{safe[0]} skipped: already applied\n")
    after = run("hygiene", "--apply-safe", "--yes")
    assert after.err.endswith("No actions selected; nothing was changed.\n"), "only actions that need approval are left"
    assert len(memory.items("--status", "approved")) == 3


def test_choosing_actions_on_a_terminal(memory: ProjectMemory) -> None:
    plan = memory.cli.run("hygiene", "--json").json["plan"]
    with Terminal("hygiene") as terminal:
        for number, action in enumerate(plan["actions"], 1):
            risky = action["requiresHumanApproval"]
            shown = terminal.wait_for("[q]uit ")
            assert f"{number} of {len(plan['actions'])}: {action['type']}" in shown
            assert f"(Enter: {'no' if risky else 'yes'})" in shown
            terminal.press("y" if action["type"] == "MERGE_MEMORIES" else "\n")
        terminal.wait_for("[y/N]")
        terminal.press("y\n")
        terminal.wait_for("applied")
        assert terminal.end() == 0
    kept = next(action["itemIds"][0] for action in plan["actions"] if action["type"] == "MERGE_MEMORIES")
    assert f"to undo, run: loremark items revert {kept}" in terminal.shown
    assert len(memory.items("--status", "approved")) == 2
    assert memory.cli.run("items", "revert", kept).code == 0
    assert len(memory.items("--status", "approved")) == 3
