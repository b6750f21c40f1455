"""Merges in digests: a merge without an explanation is reported with the commits it brought in."""

from __future__ import annotations

from pathlib import Path

import pytest

from loremark.hook import commits, gitdigest, githistory, gitledger
from tests.hook.git_repositories import PROJECT, Repository, create, subjects, use_home


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    use_home(tmp_path / "home", monkeypatch)
    made = create(tmp_path / "work", monkeypatch)
    made.commit("quay.py", "quay = 1\n", "Begin")
    return made


def _branch(work: Repository, name: str, *messages: str) -> None:
    work.git("switch", "--quiet", "-c", name, "main")
    for number, message in enumerate(messages):
        work.commit(f"{name}{number}.py", f"x = {number}\n", message)
    work.git("switch", "--quiet", "main")


def _merge(work: Repository, name: str, message: str) -> str:
    work.git("merge", "--quiet", "--no-ff", "-m", message, name)
    return work.head


def test_an_unexplained_merge_is_reported_with_its_explained_commits(work: Repository) -> None:
    start = work.head
    _branch(
        work,
        "tides",
        "Read tide tables\n\nThe harbour office sends them as text, once a week.",
        "wip",
        "Sort tables\n\nSigned-off-by: Mara <m@example.com>",
        "Keep two years\n\nOlder tables are never asked for.",
    )
    merge = _merge(work, "tides", "Merge branch 'tides'")
    (event,) = commits.digest(str(work.folder))
    assert subjects([event]) == ["Begin", "Read tide tables", "Keep two years", "Merge branch 'tides'"]
    assert (event["headCommitSha"], event["baseCommitSha"]) == (merge, None)
    assert ["diff" in one for one in event["commits"]] == [True, False, False, True]  # the merge has the diff
    (event,) = commits.digest(str(work.folder), since=start)
    assert subjects([event]) == ["Read tide tables", "Keep two years", "Merge branch 'tides'"]
    assert event["baseCommitSha"] == start


def test_an_explained_merge_is_reported_alone(work: Repository) -> None:
    _branch(work, "tugs", "Tugs have crews\n\nA crew belongs to one tug at a time.")
    _merge(work, "tugs", "Merge pull request #3 from harbour/tugs\n\nTugs have crews of their own")
    _branch(work, "log", "Write a log\n\nThe office has to keep it for ten years.")
    _merge(work, "log", "Merge branch 'log'\n\nConflicts:\n\tquay.py")
    assert subjects(commits.digest(str(work.folder))) == [
        "Begin",
        "Merge pull request #3 from harbour/tugs",
        "Write a log",
        "Merge branch 'log'",
    ]


def test_side_commits_respect_the_limits(work: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two"):
        _branch(work, name, *(f"Step {number} of {name}\n\nIt is needed by the next step." for number in range(5)))
        _merge(work, name, f"Merge branch '{name}'")
    found = subjects(commits.digest(str(work.folder), limit=4))
    assert found == ["Step 2 of two", "Step 3 of two", "Step 4 of two", "Merge branch 'two'"]
    assert subjects(commits.digest(str(work.folder), limit=1)) == ["Merge branch 'two'"]
    monkeypatch.setattr(gitdigest, "COMMITS_PER_EVENT", 4)
    events = commits.digest(str(work.folder))
    assert len(subjects(events)) == 13
    assert max(len(event["commits"]) for event in events) <= 4
    monkeypatch.setattr(githistory, "_MAX_SIDE_PER_MERGE", 2)
    assert len(subjects(commits.digest(str(work.folder)))) == 7


def test_commits_reported_on_their_branch_are_not_reported_again(work: Repository) -> None:
    _branch(work, "tides", "Read tide tables\n\nThe harbour office sends them as text.")
    side = work.git("rev-parse", "tides")
    merge = _merge(work, "tides", "Merge branch 'tides'")
    first = commits.backfill(str(work.folder), PROJECT, None, side, 10)
    for piece in first.digests:
        gitledger.add(first.ledger, piece.reported, {})
    second = commits.backfill(str(work.folder), PROJECT, None, None, 10)
    assert second.commits == 3
    pieces = list(second.digests)
    assert subjects([piece.payload for piece in pieces if piece.payload]) == ["Merge branch 'tides'"]
    assert [sha for piece in pieces for sha in piece.reported] == [merge]


def test_a_squash_merge_names_the_branch_whatever_its_title(work: Repository) -> None:
    work.watch()
    _branch(work, "tides", "Read tide tables", "Sort tables")
    _branch(work, "tugs", "Tugs have crews")
    work.commit("quay.py", "quay = 2\n", "Widen the quay")
    work.events()
    work.git("merge", "--quiet", "--squash", "tides")
    work.git("commit", "--quiet", "-m", "Tide tables (#7)")
    (event,) = work.events()
    assert (subjects([event]), event["mergedBranches"]) == (["Tide tables (#7)"], ["tides"])
    work.commit("quay.py", "quay = 3\n", "Widen it again")
    (event,) = work.events()
    assert "mergedBranches" not in event


def test_a_squash_merge_is_found_after_its_branch_was_deleted(work: Repository, tmp_path: Path) -> None:
    work.watch()
    _branch(work, "tides", "Read tide tables", "Sort tables")
    work.events()
    work.git("clone", "--quiet", str(work.folder), str(tmp_path / "host"))
    host = Repository(tmp_path / "host", work.monkeypatch)  # stands for the forge
    host.git("merge", "--quiet", "--squash", "origin/tides")
    host.git("commit", "--quiet", "-m", "Tide tables (#7)")
    work.git("branch", "--quiet", "-D", "tides")
    work.git("pull", "--quiet", "--ff-only", str(host.folder), "main")
    (event,) = work.events()
    assert event["mergedBranches"] == ["tides"]


def test_a_part_of_a_branch_is_no_squash_merge(work: Repository) -> None:
    work.watch()
    _branch(work, "tides", "Read tide tables", "Sort tables")
    work.events()
    work.git("cherry-pick", "tides~1")
    work.commit("quay.py", "quay = 2\n", "Widen the quay")
    assert all("mergedBranches" not in event for event in work.events())


def test_a_merge_is_reported_with_its_parents(work: Repository) -> None:
    start = work.head
    _branch(work, "tides", "Read tide tables")
    tip = work.git("rev-parse", "tides")
    _merge(work, "tides", "Tides for everybody")
    (event,) = commits.digest(str(work.folder), since=start)
    assert event["commits"][-1]["parents"] == [start, tip]
    assert all("parents" not in commit for commit in event["commits"][:-1])
