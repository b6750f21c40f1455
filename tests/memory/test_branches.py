"""Branches: which is the default, and when another was merged into it."""

from __future__ import annotations

import pytest

from loremark.memory.branches import OpenBranch, find_merged_branches, is_default_branch
from loremark.memory.extraction.commit_merges import MergedBranches, find_merged, is_branch_update, parse_merge
from loremark.memory.extraction.results import CommitSummary, Digest

TIDES = CommitSummary("a" * 40, "Read the tide tables of other ports", "Mara")
SORT = CommitSummary("b" * 40, "fix tests", "Mara")


@pytest.mark.parametrize(
    ("branch", "default", "expected"),
    [
        (None, None, True),
        (None, "develop", True),
        ("main", None, True),
        ("master", None, True),
        ("trunk", "develop", True),
        ("develop", "develop", True),
        ("develop", None, False),
        ("feature/main", None, False),
        ("Main", None, False),
    ],
)
def test_the_default_branch(branch: str | None, default: str | None, expected: bool) -> None:
    assert is_default_branch(branch, default) is expected


@pytest.mark.parametrize(
    ("subject", "names", "into"),
    [
        ("Merge branch 'tides'", ("tides",), None),
        ("Merge branch 'tides' into main", ("tides",), "main"),
        ("Merge branch 'tides' into 'main'", ("tides",), "main"),
        ("Merge branch 'tides' of github.com:harbour/core into main", ("tides",), "main"),
        ("Merge remote-tracking branch 'origin/feat/tides'", ("feat/tides",), None),
        ("Merge remote branch 'origin/tides' into main", ("tides",), "main"),
        ("Merge branches 'tides', 'tugs' and 'docs'", ("tides", "tugs", "docs"), None),
        ("Merge pull request #12 from mara/feat/tides", ("feat/tides",), None),
        ("Merge pull request #12 in HAR/core from feat/tides to main", ("feat/tides",), "main"),
        ("Merged in feat/tides (pull request #12)", ("feat/tides",), None),
        ("Merge origin/tides into main", ("tides",), "main"),
        ("Merge refs/heads/tides into main", ("refs/heads/tides",), "main"),
    ],
)
def test_a_merge_commit_names_branches(subject: str, names: tuple[str, ...], into: str | None) -> None:
    parsed = parse_merge(subject)
    assert parsed is not None
    assert (tuple(name.removeprefix("refs/heads/") for name in parsed.names), parsed.into) == (
        tuple(name.removeprefix("refs/heads/") for name in names),
        into,
    )
    assert list(find_merged(subject, ("main",))) == list(parsed.names)
    assert not is_branch_update(subject)


@pytest.mark.parametrize(
    "subject", ["Merge branch 'main' into tides", "Merge origin/main into tides", "Merge branch 'main'"]
)
def test_bringing_a_branch_up_to_date_merges_nothing(subject: str) -> None:
    assert is_branch_update(subject)
    assert set(find_merged(subject, ("main", None))) <= {"main"}


@pytest.mark.parametrize("subject", ["Merge two lists of berths", "merge: bead-0999", "Fix the merge of tide tables"])
def test_other_subjects_name_no_branch(subject: str) -> None:
    assert parse_merge(subject) is None


def test_merged_branches_is_a_pair() -> None:
    assert parse_merge("Merge branch 'a'") == MergedBranches(("a",), None)


def _digest(*commits: CommitSummary, named: tuple[str, ...] = (), **more: tuple[str, ...]) -> Digest:
    return Digest("main", None, None, tuple(one.sha for one in commits), named, commits, **more)


def _merged(digest: Digest, *branches: OpenBranch) -> set[str]:
    return find_merged_branches(branches, digest)


def test_a_branch_is_merged_when_its_newest_commit_arrives_or_a_merge_names_it() -> None:
    tides, tugs = OpenBranch("tides", (SORT, TIDES)), OpenBranch("tugs")
    newest, oldest = CommitSummary("a" * 10, "x", ""), CommitSummary("b" * 40, "x", "")
    assert _merged(_digest(newest), tides, tugs) == {"tides"}, "hashes may be abbreviated"
    assert _merged(_digest(oldest), tides, tugs) == set()
    assert _merged(_digest(named=("origin/tugs", "unknown")), tides, tugs) == {"tugs"}
    assert _merged(_digest(merged_heads=("a" * 40,)), tides, tugs) == {"tides"}, "whatever the merge says"
    assert _merged(_digest(), tides, tugs) == set()


@pytest.mark.parametrize(
    ("subject", "is_merged"),
    [
        ("merge: bead-0999", True),
        ("chore: merge bead-0999 (draw tides)", True),
        ("merge bead-0999 into bead-1000", False),
        ("Merge bead-09991", False),
        ("Document bead-0999", False),
        ("Merge tides of all ports", False),
    ],
)
def test_a_merge_in_other_words_names_a_branch(subject: str, is_merged: bool) -> None:
    branches = (OpenBranch("bead-0999"), OpenBranch("tides"))
    assert _merged(_digest(CommitSummary("c" * 40, subject, "")), *branches) == ({"bead-0999"} if is_merged else set())


def test_a_rebased_branch_is_merged_when_every_commit_has_a_counterpart() -> None:
    again = (CommitSummary("c" * 40, TIDES.subject, "mara"), CommitSummary("d" * 40, SORT.subject, "Mara"))
    assert _merged(_digest(*again), OpenBranch("tides", (TIDES, SORT))) == {"tides"}
    assert _merged(_digest(again[0]), OpenBranch("tides", (TIDES, SORT))) == set()
    assert _merged(_digest(again[1]), OpenBranch("tides", (SORT,))) == set(), "any commit may be called so"
    assert _merged(_digest(repeated=("a" * 40, "b" * 40)), OpenBranch("tides", (TIDES, SORT))) == {"tides"}


def test_a_squash_merge_has_the_title_or_the_commits_of_the_branch() -> None:
    branch = OpenBranch("mara/tide-tables", (TIDES, SORT))
    listed = CommitSummary("c" * 40, "Ports (#7)", "Mara", (TIDES.subject, SORT.subject, "typo"))
    titled = CommitSummary("c" * 40, f"{TIDES.subject} (#7)", "Mara")
    assert _merged(_digest(listed), branch) == {branch.name}
    assert _merged(_digest(titled), branch) == {branch.name}
    assert _merged(_digest(CommitSummary("c" * 40, TIDES.subject, "Mara")), branch) == set(), "maybe a cherry-pick"
    assert _merged(_digest(CommitSummary("c" * 40, "Mara/tide tables (#7)", "")), branch) == {branch.name}
    assert _merged(_digest(CommitSummary("c" * 40, "Tide tables (#7)", "")), branch) == {branch.name}
    assert _merged(_digest(CommitSummary("c" * 40, "Tables (#7)", "")), branch) == set()
