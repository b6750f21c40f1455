"""Provenance: separate commits and saved titles stay separate, and machine ids carry no meaning."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loremark.memory.dedup import cannot_be_same, classify_pair, contradicts, find_contradiction, is_same
from loremark.memory.items import Item, Quote
from loremark.memory.merging import merge
from loremark.memory.provenance import find_machine_ids, strip_machine_ids


def _item(title: str, content: str = "", *origins: str, files: tuple[str, ...] = ()) -> Item:
    return Item(title, content or f"{title}.", "implementation", "root/app", 0.8, files=files, origins=origins)


def _commit(title: str, content: str = "") -> Item:
    return _item(title, content, "git_digest", files=("src/app.py",))


# Pairs as they occur in real histories: the same area and the same words, but a different change.
OTHER_COMMITS = [
    ("Bump the linter to 26.1", "Bump the linter to 26.3"),
    ("Cache the catalogue of columns", "Fix stale columns in the catalogue after a rename"),
    ("Fix crash of the parser on an empty block", "Improve the parser's message for an empty block"),
    ("Skip the rename of a query key that is absent", "Scope the replacement of a query key to its name"),
    ("Track dynamic upstreams for passive health checks", "Clear the cache of dynamic upstreams on retry"),
    ("Set the title of a window from its tab", "Rename a window by its title bar"),
    ("Don't inline assets of the worker", "Don't minify names of the worker's assets"),
]


@pytest.mark.parametrize(("one", "other"), OTHER_COMMITS)
@pytest.mark.parametrize("cosine", [0.7, 0.85, 0.95])
def test_two_commits_are_two_changes_and_no_conflict(one: str, other: str, cosine: float) -> None:
    assert classify_pair(_commit(one), _commit(other), cosine) == "different"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Fix the leak of sockets in the pool", "Fix leak of sockets in the pool"),
        ("Update the Spanish translations", "Update Spanish translations"),
    ],
)
def test_a_repeated_commit_is_one(one: str, other: str) -> None:
    assert classify_pair(_commit(one), _commit(other), 0.97) == "same"


def test_a_third_item_does_not_join_two_commits() -> None:
    one, other = (_commit(title) for title in OTHER_COMMITS[1])
    assert cannot_be_same(one, other, 0.9)
    assert not cannot_be_same(one, one, 1.0)


def test_commits_conflict_only_by_reverting() -> None:
    commit = _commit("Keep idle sockets for ninety seconds", "Idle sockets are kept for 90 seconds.")
    other = _commit("Keep idle sockets for ten seconds", "Idle sockets are kept for 10 seconds.")
    assert not contradicts(commit, other, 0.95)
    revert = _commit('Revert "Keep idle sockets for ninety seconds"', "The balancer closes them earlier.")
    assert contradicts(revert, commit, 0.9)
    saved = replace(other, origins=("session_save",))
    assert contradicts(commit, saved, 0.95)


def test_repository_items_conflict_only_with_a_named_contradiction() -> None:
    saved = _item("Harbour note", "river stone market window paper garden travel", "session_save")
    other = _item("Signal list", "paper garden travel window bridge market summer", "session_save")
    assert contradicts(saved, other, 0.93)
    for found in ("git_digest", "scan_result"):
        assert not contradicts(saved, replace(other, origins=(found,)), 0.93)


def test_items_saved_under_different_titles_stay_separate() -> None:
    one = _item("Harbour note", "river stone market window paper garden travel", "memory_operation")
    another = _item("Signal list", "paper garden travel window bridge market summer", "memory_operation")
    assert classify_pair(one, another, 0.96) == "different"
    assert cannot_be_same(one, another, 0.96)
    longer = replace(one, title="Harbour note of May", content=f"{one.content} winter")
    assert is_same(one, longer, 0.97)
    other = replace(another, title=one.title, content="The river is 30 metres wide.")
    wider = replace(other, title="Signal list", content="The river is 60 metres wide.")
    assert contradicts(other, wider, 0.95)


@pytest.mark.parametrize(
    "saved", ["Not fixed yet.", "Nobody knows why; the bug is open.", "Open; we look at it later.", "An open bug."]
)
def test_an_open_bug_is_not_the_commit_that_fixes_it(saved: str) -> None:
    symptom = "Riders see the map of the day before after a restart"
    open_bug = replace(_item(symptom, f"{symptom}. {saved}", "session_save", files=("src/map.py",)), type="bug")
    fix = _item(f"{symptom} no more", f"{symptom}: the cache outlived the day.", "git_digest", files=("src/map.py",))
    assert not is_same(open_bug, replace(fix, type="bug"), 0.9)
    known = replace(open_bug, content=f"{symptom}. The cache outlived the day.")
    assert is_same(known, replace(fix, type="bug", title=symptom), 0.9)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Idle rooms close after 20 minutes.", "Idle rooms: 20 -> 5 min. They ate the memory at night."),
        ("The crane pool has 12 workers.", "Crane pool 12 -> 6 workers. 12 busy ones swapped."),
        ("A pallet is offered three times before it goes back.", "A pallet is offered twice; three wore the crew out."),
        ("Pages of the catalogue hold 40 rows.", "Pages of the catalogue hold 100 rows, the old 40 made people click."),
        ("Exit 1 when the berth is taken.", "A taken berth is exit code 4 now."),
        ("No handler may take more than 30 ms.", "Drop the 30 ms handler limit; handlers may take long."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("cosine", [0.55, 0.75, 0.9])
def test_a_replaced_value_is_never_merged_with_the_new_one(before: str, after: str, cosine: float) -> None:
    files = ("src/limits.py",)
    known = _item(before.rstrip("."), before, "session_save", files=files)
    for kind in ("git_digest", "session_save"):
        assert not is_same(known, _item(after.partition(".")[0], after, kind, files=files), cosine)


def test_a_saved_and_committed_change_is_one_fact() -> None:
    saved = _item(
        "Free delivery starts at 60 crowns",
        "Free delivery starts at 60 crowns, since the packing alone costs us four.",
        "session_save",
        files=("shop/delivery.py",),
    )
    commit = _item(
        "Raise free delivery to 60 crowns",
        "Raise free delivery to 60 crowns. Packing costs four.",
        "git_digest",
        files=("shop/delivery.py", "shop/basket.py"),
    )
    assert is_same(saved, commit, 0.8)


def test_machine_ids_are_neither_values_nor_names() -> None:
    one = _item("Marker 81f3c9ab", "The nightly check wrote its marker 81f3c9ab to the log.")
    other = _item("Marker 9e04d17b", "The nightly check wrote its marker 9e04d17b to the log.")
    assert classify_pair(one, other, 0.97) == "different"
    assert find_contradiction(one, other) is None
    uuid = "5b0c7c1e-2f43-4c9b-8a50-0d7e1f6a2b3c"
    text = f"run {uuid} of itm_01m7p5ksv24b855jhbe8ezqjpx at 4f2a9c1, colour #ff00aa, 1234567 rows, decade, HTTP2"
    assert strip_machine_ids(text) == "run  of  at , colour #ff00aa, 1234567 rows, decade, HTTP2"
    assert uuid in find_machine_ids(text)
    same = replace(one, content="The nightly check wrote the marker 81f3c9ab into the log.")
    assert classify_pair(one, same, 0.97) == "same"


@pytest.mark.parametrize(
    ("one", "other"),
    [("First memory item", "Second memory item"), ("Memory item 3", "Memory item 12"), ("Note #1", "Note #2")],
)
def test_numbered_things_do_not_contradict(one: str, other: str) -> None:
    text = "It is kept for the test of the list."
    assert classify_pair(_item(one, f"{one}. {text}"), _item(other, f"{other}. {text}"), 0.97) == "different"


def test_a_quantity_may_contradict() -> None:
    one, other = (_item("Time-out of the gateway", f"The gateway gives up after {seconds} s.") for seconds in (30, 60))
    assert classify_pair(one, other, 0.95) == "contradicts"


def test_a_finding_adds_to_a_persons_item_without_replacing_it() -> None:
    saved = _item("Exports go out as CSV", "We write exports as CSV for accounting.", "session_save")
    found = replace(
        _item("The exporter writes CSV files", "The exporter writes CSV files for accounting.", "scan_result"),
        tags=("scan",),
        confidence=0.97,
        evidence=(Quote("evt_1", "a"), Quote("evt_1", "b")),
    )
    for merged in (merge(saved, found), merge(found, saved)):
        assert (merged.title, merged.type) == (saved.title, saved.type)
        assert merged.content.startswith(saved.content)
        assert merged.origins == ("scan_result", "session_save")
    assert merge(found, replace(found, title="Exporter", confidence=0.5)).title == found.title
