"""``loremark review``: single keys, undo, and concurrent changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.harness import Cli, Server
from tests.cli.project_memory import NEVER, ProjectMemory
from tests.cli.terminal import Terminal

FACTS = (
    ("Webhooks are retried three times", "We retry webhooks three times because customers' servers restart."),
    ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones."),
    ("Sessions are kept in Redis", "We keep sessions in Redis because they must outlive a restart of the api."),
)


@pytest.fixture
def memory(olga: Cli, server: Server) -> ProjectMemory:
    memory = ProjectMemory(olga, server, autoApproveThreshold=NEVER)
    memory.learn(*FACTS)
    return memory


def _states(memory: ProjectMemory) -> dict[str, str]:
    return {item["title"]: item["status"] for item in memory.items()}


def test_review_with_single_keys(memory: ProjectMemory, tmp_path: Path) -> None:
    queue = memory.cli.run("review", "--json").json
    assert [each["reason"] for each in queue] == ["draft"] * 3
    first, second, third = (each["item"]["title"] for each in queue)
    editor = tmp_path / "pen"
    editor.write_text("#!/bin/sh\nsed -i 's/because/since/' \"$1\"\n")
    editor.chmod(0o700)
    prompt = "[q]uit "
    with Terminal("review", VISUAL=str(editor), NO_COLOR="") as terminal:
        card = terminal.wait_for(prompt)
        assert "1 of 3: draft" in card
        assert first in card
        assert "evidence" in card
        terminal.press("\x1b[A")  # an arrow key ends in the letter A
        terminal.wait_for("?")
        terminal.wait_for(prompt)
        terminal.press("?")
        assert "a  approve    approve it so agents see it" in terminal.wait_for(prompt)
        assert _states(memory)[first] == "draft"
        terminal.press("a")
        assert second in terminal.wait_for(prompt)
        terminal.press("u")
        assert first in terminal.wait_for(prompt)
        assert _states(memory)[first] == "draft"
        terminal.press("d")
        assert second in terminal.wait_for(prompt)
        terminal.press("e")
        assert "since" in terminal.wait_for(prompt)
        terminal.press("a")
        assert third in terminal.wait_for(prompt)
        # Another user changes the item first.
        item_id = queue[2]["item"]["id"]
        memory.server.http.patch(f"/api/v2/items/{item_id}", json={"title": "A better title"}).raise_for_status()
        terminal.press("a")
        terminal.wait_for("Someone else changed this item")
        assert "A better title" in terminal.wait_for(prompt)
        terminal.press("s")
        assert terminal.end() == 0
    assert "\x1b[" in terminal.shown, "colors"
    assert _states(memory) == {first: "deprecated", second: "approved", "A better title": "draft"}


def test_interrupting_restores_the_terminal(memory: ProjectMemory) -> None:
    with Terminal("review") as terminal:
        terminal.wait_for("[q]uit ")
        assert not terminal.is_in_line_mode()
        terminal.press("\x03")
        assert terminal.end() == 130
        assert terminal.is_in_line_mode()
    assert "Traceback" not in terminal.shown
    assert set(_states(memory).values()) == {"draft"}


def test_review_without_a_terminal(memory: ProjectMemory) -> None:
    queue = memory.cli.run("review", "--json").json
    first, second, third = (each["item"]["title"] for each in queue)
    done = memory.cli.run("review", stdin="what\napprove\nu\na\nd\n")
    assert (done.code, done.err.splitlines()[-1]) == (0, "2 reviewed, 1 left")
    assert _states(memory) == {first: "approved", second: "deprecated", third: "draft"}
    memory.server.http.patch(f"/api/v2/items/{queue[0]['item']['id']}", json={"status": "deprecated"})
    assert memory.cli.run("review", "--only", "stale").err == "You're all caught up. There is nothing to review.\n"
    assert [each["item"]["title"] for each in memory.cli.run("review", "--json").json] == [third]
