"""Drift: contradictions are told in a plain sentence; a file that changed makes its items stale, and only then."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loremark.memory.drift import Conflict, FileNow, Holding, conflicts, stale_items
from loremark.memory.extraction.commit_files import is_beside
from loremark.memory.items import Item, Quote


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
    held = [Holding(_about("a.py", id="i1"), {"a.py": known}), Holding(_about("b.py", id="i2"), {"b.py": known})]
    assert set(stale_items({"a.py": now}, held)) == ({"i1"} if stale else set())


def _about(*files: str, id: str = "i", content: str = "Retries are counted here.", **more: Any) -> Item:
    told: dict[str, Any] = {"type": "architecture", "origins": ("session_save",), **more}
    return Item(
        "Retries are counted", content, schema_key="root/retries", confidence=0.9, files=tuple(files), id=id, **told
    )


def _stale(item: Item, **changes: FileNow | str) -> str | None:
    """Why the item is stale after these changes; a path is told by its name with ``__`` for the dot."""
    now = {
        name.replace("__", "."): FileNow(state) if isinstance(state, str) else state for name, state in changes.items()
    }
    return stale_items(now, [Holding(item, dict.fromkeys(item.files, "git:1"))]).get(item.id)


GONE = FileNow(None, deleted=True)


def test_the_reason_names_the_file() -> None:
    both = _about("a.py", "b.py", content="Counted in a.py, shown by b.py.")
    assert _stale(both, b__py="git:2", a__py=GONE) == "a.py was deleted"
    assert _stale(both, b__py="git:2") == "b.py changed"


def test_a_file_that_an_item_does_not_name_changes_nothing_while_it_has_others() -> None:
    item = _about("a.py", "b.py", content="Counted in a.py.")
    assert _stale(item, b__py="git:2") is None
    assert _stale(item, b__py=GONE) is None
    assert _stale(item, a__py="git:2") == "a.py changed"
    assert _stale(replace(item, content="Counted.", evidence=(Quote("e", "see b.py"),)), b__py="git:2") is not None


def test_a_name_that_two_files_share_names_neither() -> None:
    item = _about("web/index.ts", "cli/index.ts", content="Starts in index.ts; the commands in cli/index.ts.")
    changed = {path: FileNow("git:2") for path in item.files}
    for path, stale in (("web/index.ts", False), ("cli/index.ts", True)):
        found = stale_items({path: changed[path]}, [Holding(item, dict.fromkeys(item.files, "git:1"))])
        assert bool(found) == stale


@pytest.mark.parametrize("kind", ["bug", "implementation", "decision"])
def test_what_a_commit_did_goes_with_the_last_of_its_files(kind: str) -> None:
    item = _about("a.py", "b.py", "tests/test_a.py", content="Counted in a.py.", type=kind, origins=("git_digest",))
    assert _stale(item, a__py="git:2", b__py="git:2") is None
    assert _stale(item, a__py=GONE) is None
    assert _stale(item, a__py=GONE, b__py=GONE) == "a.py was deleted"
    held = Holding(item, {"b.py": "git:1"}, gone={"a.py"})
    assert stale_items({"b.py": GONE}, [held]) == {"i": "b.py was deleted"}
    people = replace(item, origins=("git_digest", "session_save"))
    assert _stale(people, a__py="git:2") == "a.py changed"
    described = replace(item, type="convention")
    assert _stale(described, a__py="git:2") == "a.py changed"


def test_side_files_count_only_where_there_is_nothing_else() -> None:
    item = _about("a.py", "docs/retries.md", "tests/test_a.py", content="Told in docs/retries.md.")
    changed = {"docs/retries.md": FileNow("git:2"), "tests/test_a.py": GONE}
    assert stale_items(changed, [Holding(item, dict.fromkeys(item.files, "git:1"))]) == {}
    alone = replace(item, files=("docs/retries.md",))
    assert stale_items(changed, [Holding(alone, {"docs/retries.md": "git:1"})]) == {"i": "docs/retries.md changed"}
    committed = replace(alone, origins=("git_digest",))
    assert stale_items(changed, [Holding(committed, {"docs/retries.md": "git:1"})]) == {}


@pytest.mark.parametrize(
    ("path", "side"),
    [
        ("src/worker.py", False),
        ("src/latest/contest.py", False),
        ("src/docstore.py", False),
        ("src/history.py", False),
        ("src/auth/security.py", False),
        ("app/agents.ts", False),
        ("README.de.md", True),
        ("LICENSE-APACHE", True),
        ("SECURITY.md", True),
        ("tests/worker.py", True),
        ("web/app.test.ts", True),
        ("pkg/pool_test.go", True),
        ("test_pool.py", True),
        ("docs/pool.md", True),
        ("CHANGELOG.md", True),
        ("yarn.lock", True),
        ("pnpm-lock.yaml", True),
    ],
)
def test_which_files_follow_a_change(path: str, side: bool) -> None:
    assert is_beside(path) == side


def test_a_reason_is_not_made_up() -> None:
    """Where no clash has a name, it is said which two are meant and no more."""
    mine = _item("river stone market window paper garden travel", title="Harbour note")
    other = _item("paper garden travel window bridge market summer", "x", title="Signal list")
    (found,) = conflicts(mine, [(other, 0.93)])
    assert found.reason == "both may not hold: “Harbour note” against “Signal list”"


def test_a_draft_is_in_conflict_only_with_what_takes_it_back() -> None:
    draft = _item("The client times out after 60 seconds.", "draft")
    later = _item("The client times out after 30 seconds.")
    assert conflicts(later, [], [(draft, 0.95)]) == []
    undone = replace(later, title='Revert "Time out of the client after a minute"', content="It broke slow uploads.")
    told = replace(draft, title="Time out of the client after a minute")
    assert [conflict.other_id for conflict in conflicts(undone, [], [(told, 0.8)])] == ["draft"]
