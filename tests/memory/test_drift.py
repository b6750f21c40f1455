"""Drift: conflicts are explained in plain words, and items go stale only when their files change."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from loremark.memory.drift import Conflict, FileState, TrackedItem, find_conflicts, find_stale_items
from loremark.memory.extraction.commit_files import is_supporting_file
from loremark.memory.items import Item, Quote


def _item(content: str, id: str = "", title: str = "Timeout of the client") -> Item:
    return Item(title, content, "convention", "root/client", 0.9, files=("client.py",), id=id, status="approved")


def test_a_conflict_says_what_it_is_about() -> None:
    found = find_conflicts(
        _item("The client times out after 30 seconds."),
        [
            (_item("The client times out after 60 seconds.", "other"), 0.95),
            (_item("The client gives up after half a minute of silence.", "same"), 0.9),
            (_item("Releases go out on Tuesday.", "far", title="Release day"), 0.1),
        ],
    )
    assert found == [Conflict("other", "says 30 seconds where the other says 60 seconds")]


def test_findings_of_one_scan_do_not_conflict_but_those_of_two_scans_may() -> None:
    found = [_item("The client times out after 30 seconds."), _item("The client times out after 60 seconds.", "other")]
    saved = [replace(item, tags=("scan",), evidence=(Quote("evt_1", item.content),)) for item in found]
    assert find_conflicts(saved[0], [(saved[1], 0.95)]) == []
    later = replace(saved[1], evidence=(Quote("evt_2", saved[1].content),))
    written_by_person = replace(saved[1], tags=())
    for other in (later, written_by_person):
        assert [conflict.other_id for conflict in find_conflicts(saved[0], [(other, 0.95)])] == ["other"]


@pytest.mark.parametrize(
    ("mine", "other", "reason"),
    [
        (
            "Sessions are stored in Redis.",
            "Sessions are stored in Postgres.",
            "says Redis where the other says Postgres",
        ),
        ("Never retry a payment.", "Always retry a payment.", "says the opposite"),
        ("Quota runs before auth.", "Auth runs before quota.", "reverses the order"),
    ],
)
def test_reasons(mine: str, other: str, reason: str) -> None:
    found = find_conflicts(_item(mine, title="Rule"), [(_item(other, "x", title="Rule"), 0.9)])
    assert [conflict.reason.startswith(reason) for conflict in found] == [True]
    assert "pole" not in found[0].reason


@pytest.mark.parametrize(
    ("known", "now", "stale"),
    [
        ("git:1", FileState("git:1"), False),
        ("git:1", FileState("git:2"), True),
        ("sha:1", FileState("sha:1"), False),
        ("sha:1", FileState("sha:2"), True),
        ("sha:1", FileState("git:2"), True),  # named in a commit, so it changed
        (None, FileState("git:2"), True),
        (None, FileState("sha:2"), False),  # first observation of the file, so it becomes the baseline
        ("git:1", FileState("sha:2"), False),
        (None, FileState(None, deleted=True), True),
        ("sha:1", FileState("sha:1", deleted=True), True),
        ("sha:1", FileState(None), False),
    ],
)
def test_when_an_item_is_stale(known: str | None, now: FileState, stale: bool) -> None:
    tracked = [
        TrackedItem(_about("a.py", id="i1"), {"a.py": known}),
        TrackedItem(_about("b.py", id="i2"), {"b.py": known}),
    ]
    assert set(find_stale_items({"a.py": now}, tracked)) == ({"i1"} if stale else set())


def _about(*files: str, id: str = "i", content: str = "Retries are counted here.", **more: Any) -> Item:
    saved: dict[str, Any] = {"type": "architecture", "origins": ("session_save",), **more}
    return Item(
        "Retries are counted", content, schema_key="root/retries", confidence=0.9, files=tuple(files), id=id, **saved
    )


def _stale(item: Item, **changes: FileState | str) -> str | None:
    """Why the item is stale after these changes. Paths are given as keywords, with ``__`` for the dot."""
    now = {
        name.replace("__", "."): FileState(state) if isinstance(state, str) else state
        for name, state in changes.items()
    }
    return find_stale_items(now, [TrackedItem(item, dict.fromkeys(item.files, "git:1"))]).get(item.id)


DELETED = FileState(None, deleted=True)


def test_the_reason_names_the_file() -> None:
    both = _about("a.py", "b.py", content="Counted in a.py, shown by b.py.")
    assert _stale(both, b__py="git:2", a__py=DELETED) == "a.py was deleted"
    assert _stale(both, b__py="git:2") == "b.py changed"


def test_an_unnamed_file_does_not_make_an_item_with_other_files_stale() -> None:
    item = _about("a.py", "b.py", content="Counted in a.py.")
    assert _stale(item, b__py="git:2") is None
    assert _stale(item, b__py=DELETED) is None
    assert _stale(item, a__py="git:2") == "a.py changed"
    assert _stale(replace(item, content="Counted.", evidence=(Quote("e", "see b.py"),)), b__py="git:2") is not None


def test_a_name_shared_by_two_files_matches_neither() -> None:
    item = _about("web/index.ts", "cli/index.ts", content="Starts in index.ts; the commands in cli/index.ts.")
    changed = {path: FileState("git:2") for path in item.files}
    for path, stale in (("web/index.ts", False), ("cli/index.ts", True)):
        found = find_stale_items({path: changed[path]}, [TrackedItem(item, dict.fromkeys(item.files, "git:1"))])
        assert bool(found) == stale


@pytest.mark.parametrize("kind", ["bug", "implementation", "decision"])
def test_a_commit_item_goes_stale_with_its_last_file(kind: str) -> None:
    item = _about("a.py", "b.py", "tests/test_a.py", content="Counted in a.py.", type=kind, origins=("git_digest",))
    assert _stale(item, a__py="git:2", b__py="git:2") is None
    assert _stale(item, a__py=DELETED) is None
    assert _stale(item, a__py=DELETED, b__py=DELETED) == "a.py was deleted"
    tracked = TrackedItem(item, {"b.py": "git:1"}, deleted_files={"a.py"})
    assert find_stale_items({"b.py": DELETED}, [tracked]) == {"i": "b.py was deleted"}
    also_saved = replace(item, origins=("git_digest", "session_save"))
    assert _stale(also_saved, a__py="git:2") == "a.py changed"
    described = replace(item, type="convention")
    assert _stale(described, a__py="git:2") == "a.py changed"


def test_supporting_files_count_only_if_there_are_no_others() -> None:
    item = _about("a.py", "docs/retries.md", "tests/test_a.py", content="Told in docs/retries.md.")
    changed = {"docs/retries.md": FileState("git:2"), "tests/test_a.py": DELETED}
    assert find_stale_items(changed, [TrackedItem(item, dict.fromkeys(item.files, "git:1"))]) == {}
    alone = replace(item, files=("docs/retries.md",))
    assert find_stale_items(changed, [TrackedItem(alone, {"docs/retries.md": "git:1"})]) == {
        "i": "docs/retries.md changed"
    }
    committed = replace(alone, origins=("git_digest",))
    assert find_stale_items(changed, [TrackedItem(committed, {"docs/retries.md": "git:1"})]) == {}


@pytest.mark.parametrize(
    ("path", "is_supporting"),
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
def test_supporting_files(path: str, is_supporting: bool) -> None:
    assert is_supporting_file(path) == is_supporting


def test_a_reason_is_never_invented() -> None:
    """Without a named contradiction, the reason only names the two items."""
    mine = _item("river stone market window paper garden travel", title="Harbour note")
    other = _item("paper garden travel window bridge market summer", "x", title="Signal list")
    (found,) = find_conflicts(mine, [(other, 0.93)])
    assert found.reason == "may contradict the other: “Harbour note” vs. “Signal list”"


def test_a_draft_conflicts_only_with_its_reversal() -> None:
    draft = _item("The client times out after 60 seconds.", "draft")
    later = _item("The client times out after 30 seconds.")
    assert find_conflicts(later, [], [(draft, 0.95)]) == []
    revert = replace(later, title='Revert "Time out of the client after a minute"', content="It broke slow uploads.")
    saved = replace(draft, title="Time out of the client after a minute")
    assert [conflict.other_id for conflict in find_conflicts(revert, [], [(saved, 0.8)])] == ["draft"]
