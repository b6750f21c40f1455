"""Tidying up: a plan is looked at first, and only what was chosen of it is done."""

from __future__ import annotations

import pytest

from loremark.cli.kit import USAGE
from tests.cli.person import Desk, Server
from tests.cli.remembering import Rememberer
from tests.cli.terminal import Terminal

FACTS = (
    ("Sessions are kept in Redis", "Sessions were lost after a restart, so we keep them in Redis now."),
    ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones."),
    ("Errors are wrapped", "Errors are wrapped with the operation's name, so that a log line tells where it began."),
)


@pytest.fixture
def someone(olga: Desk, server: Server) -> Rememberer:
    """Somebody whose memory holds a title that says nothing, and the same thing twice."""
    someone = Rememberer(olga, server)
    ids = someone.learn(*FACTS)
    same = {"content": FACTS[2][1], "type": "convention", "schemaKey": "root/errors"}
    for title, change in (
        (FACTS[0][0], {"title": "Fix bug"}),
        (FACTS[1][0], {"title": "Errors are wrapped with the operation's name", **same}),
        (FACTS[2][0], {"title": "Errors are wrapped with the operation's name", **same}),
    ):
        server.http.patch(f"/api/v2/items/{ids[title]}", json={**change, "status": "approved"}).raise_for_status()
    return someone


def test_a_plan_and_what_needs_nobody(someone: Rememberer) -> None:
    say = someone.desk.say
    looked = say("hygiene")
    assert "  -Fix bug\n  +" in looked.out
    assert "MERGE_MEMORIES" in looked.err
    assert looked.err.endswith("nothing was chosen, and nothing is changed\n")
    assert len(someone.items("--status", "approved")) == 3
    refused = say("hygiene", "--apply-safe")
    assert (refused.code, refused.err.splitlines()[-1]) == (1, "loremark: nothing is changed; say --yes")
    assert say("hygiene", "--plan", "hyg_x").code == USAGE

    plan = say("hygiene", "--mode", "weekly", "--json").json["plan"]
    safe = [action["id"] for action in plan["actions"] if not action["requiresHumanApproval"]]
    risky = [action["id"] for action in plan["actions"] if action["requiresHumanApproval"]]
    assert safe
    assert risky
    done = say("hygiene", "--plan", plan["planId"], "--select", ",".join(safe), "--yes", "--json").json["applied"]
    assert [result["status"] for result in done["results"]] == ["success"] * len(safe)
    assert not [item for item in someone.items() if item["title"] == "Fix bug"]
    again = say("hygiene", "--plan", plan["planId"], "--select", safe[0], "--yes")
    assert (again.out, again.err) == ("0 applied, 1 skipped\n", f"{safe[0]} skipped: already applied\n")
    after = say("hygiene", "--apply-safe", "--yes")
    assert after.err.endswith("nothing was chosen, and nothing is changed\n"), "only what needs a person is left"
    assert len(someone.items("--status", "approved")) == 3


def test_one_by_one_on_a_terminal(someone: Rememberer) -> None:
    plan = someone.desk.say("hygiene", "--json").json["plan"]
    with Terminal("hygiene") as terminal:
        for number, action in enumerate(plan["actions"], 1):
            risky = action["requiresHumanApproval"]
            shown = terminal.see("[q]uit ")
            assert f"{number} of {len(plan['actions'])}: {action['type']}" in shown
            assert f"(Enter: {'no' if risky else 'yes'})" in shown
            terminal.press("y" if action["type"] == "MERGE_MEMORIES" else "\n")
        terminal.see("[y/N]")
        terminal.press("y\n")
        terminal.see("applied")
        assert terminal.end() == 0
    kept = next(action["itemIds"][0] for action in plan["actions"] if action["type"] == "MERGE_MEMORIES")
    assert f"take it back: loremark items revert {kept}" in terminal.shown
    assert len(someone.items("--status", "approved")) == 2
    assert someone.desk.say("items", "revert", kept).code == 0
    assert len(someone.items("--status", "approved")) == 3
