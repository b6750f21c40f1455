"""Drift: contradictions are told in a plain sentence; a file that changed makes its items stale, and only then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cairn.memory.drift import Conflict, FileNow, ItemFile, conflicts, stale_items
from cairn.memory.items import Item, Quote


def _item(content: str, id: str = "", title: str = "Timeout of the client") -> Item:
    return Item(title, content, "convention", "root/client", 0.9, files=("client.py",), id=id, status="approved")


def test_a_conflict_says_what_it_is_about() -> None:
    found = conflicts(
        _item("The client times out after 30 seconds."),
        [
            (_item("The client times out after 60 seconds.", "other"), 0.95),
            (_item("The client gives up after half a minute of silence.", "same"), 0.9),
            (_item("Releases go out on Tuesday.", "far", title="Release day"), 0.1),
        ],
    )
    assert found == [Conflict("other", "says 30 seconds where the other says 60 seconds")]


def test_findings_of_one_scan_both_hold_and_those_of_two_may_not() -> None:
    found = [_item("The client times out after 30 seconds."), _item("The client times out after 60 seconds.", "other")]
    told = [replace(item, tags=("scan",), evidence=(Quote("evt_1", item.content),)) for item in found]
    assert conflicts(told[0], [(told[1], 0.95)]) == []
    later = replace(told[1], evidence=(Quote("evt_2", told[1].content),))
    by_people = replace(told[1], tags=())
    for other in (later, by_people):
        assert [conflict.other_id for conflict in conflicts(told[0], [(other, 0.95)])] == ["other"]


@pytest.mark.parametrize(
    ("mine", "other", "reason"),
    [
        (
            "Sessions are stored in Redis.",
            "Sessions are stored in Postgres.",
            "says Redis where the other says Postgres",
        ),
        ("Never retry a payment.", "Always retry a payment.", "says the opposite"),
        ("Quota runs before auth.", "Auth runs before quota.", "puts it the other way round"),
    ],
)
def test_reasons(mine: str, other: str, reason: str) -> None:
    found = conflicts(_item(mine, title="Rule"), [(_item(other, "x", title="Rule"), 0.9)])
    assert [conflict.reason.startswith(reason) for conflict in found] == [True]
    assert "pole" not in found[0].reason


@pytest.mark.parametrize(
    ("known", "now", "stale"),
    [
        ("git:1", FileNow("git:1"), False),
        ("git:1", FileNow("git:2"), True),
        ("sha:1", FileNow("sha:1"), False),
        ("sha:1", FileNow("sha:2"), True),
        ("sha:1", FileNow("git:2"), True),  # a commit names the file: it changed
        (None, FileNow("git:2"), True),
        (None, FileNow("sha:2"), False),  # the first look at a file: adopted
        ("git:1", FileNow("sha:2"), False),
        (None, FileNow(None, deleted=True), True),
        ("sha:1", FileNow("sha:1", deleted=True), True),
        ("sha:1", FileNow(None), False),
    ],
)
def test_when_an_item_is_stale(known: str | None, now: FileNow, stale: bool) -> None:
    found = stale_items({"a.py": now}, [ItemFile("i1", "a.py", known), ItemFile("i2", "b.py", known)])
    assert set(found) == ({"i1"} if stale else set())


def test_the_reason_names_the_file() -> None:
    changes = {"b.py": FileNow("git:2"), "a.py": FileNow(None, deleted=True)}
    known = [ItemFile("i1", "b.py", "git:1"), ItemFile("i1", "a.py", "git:1"), ItemFile("i2", "b.py", "git:1")]
    assert stale_items(changes, known) == {"i1": "a.py was deleted", "i2": "b.py changed"}
