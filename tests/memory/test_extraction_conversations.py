"""What an exchange between a person and an agent settles becomes an item, and nothing else does."""

from __future__ import annotations

import pytest

from loremark.memory.extraction.extract import extract
from loremark.memory.items import Item, RawEvent
from loremark.memory.recall.turns import turns_of


def _items(prompt: str, answer: str) -> tuple[Item, ...]:
    payload = {"notes": prompt, "summary": answer, "changes": [], "agent": "claude-code"}
    return extract(RawEvent("evt_1", "session_save", payload)).items


DONE = "Done. I changed the handler and all tests pass."


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("never run the migration script against the staging database by hand", "convention"),
        ("looks fine. from now on price imports must keep the supplier's own article number", "convention"),
        ("I don't want vertical scaling of the calendar text when the widget gets shorter.", "convention"),
        ("no queremos redondear los precios de la factura por línea", "convention"),
        ("let's use the nightly export for this, because the live API can't page beyond 500 rows", "decision"),
    ],
)
def test_a_rule_that_a_person_states_is_an_item(prompt: str, kind: str) -> None:
    (item,) = _items(prompt, DONE)
    assert item.type == kind
    assert item.evidence[0].quote in prompt


def test_a_confirmed_cause_is_an_item_with_its_fix() -> None:
    answer = (
        "I looked at the failing scan first.\n\n"
        "The issue was that `StaticLayout.setMaxLines()` ignores the limit without an ellipsize mode. "
        "Setting `TruncateAt.END` fixed it.\n\n- Added a debug log\n- Updated two tests"
    )
    (item,) = _items("why is the third line still visible?", answer)
    assert item.type == "bug"
    assert item.title.startswith("StaticLayout.setMaxLines() ignores the limit")
    assert "`TruncateAt.END`" in item.content
    assert "debug log" not in item.content


@pytest.mark.parametrize(
    ("prompt", "answer"),
    [
        ("add a dark mode toggle", "I'll add a toggle first. Next step: the theme provider. Would you like icons too?"),
        ("should we never retry?", "It depends: retries hide faults, but they help with flaky networks."),
        ("it must not do that", DONE),
        ("why does it fail", "The issue is that the token may have expired; let me check the logs."),
        ("run the tests", "```\nERROR root cause was caused by: bad input\n```\nAll 12 tests pass."),
        ("x " * 900 + "never deploy on Fridays to the production cluster", DONE),
    ],
)
def test_plans_questions_guesses_logs_and_reports_are_no_items(prompt: str, answer: str) -> None:
    assert _items(prompt, answer) == ()


def test_each_exchange_of_a_list_is_read_on_its_own() -> None:
    """An imported session is one event with many turns; the files of a turn belong to what was said in it."""
    turns = [
        {"prompt": "why is the import slow?", "answer": "It reads each row twice.", "files": ["shop/rows.py"]},
        {"prompt": "never read a row twice in an import", "answer": DONE, "files": ["shop/import.py"]},
        {"prompt": "and the export?", "answer": "The problem was that the export sorted all rows in memory."},
        "not an exchange",
    ]
    payload = {"summary": "why is the import slow?", "changes": [], "turns": turns, "files": ["shop/rows.py"]}
    event = RawEvent("evt_1", "session_save", payload)
    rule, cause = extract(event).items
    assert (rule.type, rule.title, rule.files) == (
        "convention",
        "never read a row twice in an import",
        ("shop/import.py",),
    )
    assert (cause.type, cause.title, cause.files) == ("bug", "The export sorted all rows in memory", ())
    read = turns_of(event)
    assert [turn.messages[0].text for turn in read] == [turn["prompt"] for turn in turns if isinstance(turn, dict)]
    assert [turn.files for turn in read] == [("shop/rows.py",), ("shop/import.py",), ("shop/rows.py",)]
