"""Reviewing: one item after the other, by single keys, with a way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.person import Desk, Server
from tests.cli.remembering import NEVER, Rememberer
from tests.cli.terminal import Terminal

FACTS = (
    ("Webhooks are retried three times", "We retry webhooks three times because customers' servers restart."),
    ("Passwords are hashed with Argon2id", "We hash passwords with Argon2id because bcrypt cuts off long ones."),
    ("Sessions are kept in Redis", "We keep sessions in Redis because they must outlive a restart of the api."),
)


@pytest.fixture
def someone(olga: Desk, server: Server) -> Rememberer:
    someone = Rememberer(olga, server, autoApproveThreshold=NEVER)
    someone.learn(*FACTS)
    return someone


def _states(someone: Rememberer) -> dict[str, str]:
    return {item["title"]: item["status"] for item in someone.items()}


def test_by_single_keys_on_a_terminal(someone: Rememberer, tmp_path: Path) -> None:
    queue = someone.desk.say("review", "--json").json
    assert [each["why"] for each in queue] == ["draft"] * 3
    first, second, third = (each["item"]["title"] for each in queue)
    pen = tmp_path / "pen"
    pen.write_text("#!/bin/sh\nsed -i 's/because/since/' \"$1\"\n")
    pen.chmod(0o700)
    asked = "[q]uit "
    with Terminal("review", VISUAL=str(pen), NO_COLOR="") as terminal:
        card = terminal.see(asked)
        assert "1 of 3: draft" in card
        assert first in card
        assert "evidence" in card
        terminal.press("\x1b[A")  # an arrow key ends in the letter A
        terminal.see("?")
        terminal.see(asked)
        terminal.press("?")
        assert "a  approve    take it into the brain" in terminal.see(asked)
        assert _states(someone)[first] == "draft"
        terminal.press("a")
        assert second in terminal.see(asked)
        terminal.press("u")
        assert first in terminal.see(asked)
        assert _states(someone)[first] == "draft"
        terminal.press("d")
        assert second in terminal.see(asked)
        terminal.press("e")
        assert "since" in terminal.see(asked)
        terminal.press("a")
        assert third in terminal.see(asked)
        # Somebody else is quicker.
        item_id = queue[2]["item"]["id"]
        someone.server.http.patch(f"/api/v2/items/{item_id}", json={"title": "A better title"}).raise_for_status()
        terminal.press("a")
        terminal.see("changed by somebody else")
        assert "A better title" in terminal.see(asked)
        terminal.press("s")
        assert terminal.end() == 0
    assert "\x1b[" in terminal.shown, "there are colours"
    assert _states(someone) == {first: "deprecated", second: "approved", "A better title": "draft"}


def test_interrupting_leaves_the_terminal_as_it_was(someone: Rememberer) -> None:
    with Terminal("review") as terminal:
        terminal.see("[q]uit ")
        assert not terminal.takes_lines()
        terminal.press("\x03")
        assert terminal.end() == 130
        assert terminal.takes_lines()
    assert "Traceback" not in terminal.shown
    assert set(_states(someone).values()) == {"draft"}


def test_line_by_line_where_there_is_no_terminal(someone: Rememberer) -> None:
    queue = someone.desk.say("review", "--json").json
    first, second, third = (each["item"]["title"] for each in queue)
    done = someone.desk.say("review", given="what\napprove\nu\na\nd\n")
    assert (done.code, done.err.splitlines()[-1]) == (0, "2 decided, 1 left")
    assert _states(someone) == {first: "approved", second: "deprecated", third: "draft"}
    someone.server.http.patch(f"/api/v2/items/{queue[0]['item']['id']}", json={"status": "deprecated"})
    assert someone.desk.say("review", "--only", "stale").err == "nothing waits for a decision\n"
    assert [each["item"]["title"] for each in someone.desk.say("review", "--json").json] == [third]
