"""Branches: which is the default, and when another was merged into it."""

from __future__ import annotations

import pytest

from loremark.memory.branches import find_merged_branches, is_default_branch


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


def test_a_branch_is_merged_when_its_newest_commit_arrives_or_a_merge_names_it() -> None:
    heads = {"feature/a": "a" * 40, "feature/b": "b" * 40, "fix/c": "c" * 40, "wip": "d" * 40}
    assert find_merged_branches(heads, ["a" * 40, "9" * 40], ["fix/c"]) == {"feature/a", "fix/c"}
    assert find_merged_branches(heads, ["b" * 10], ["origin/wip", "unknown"]) == {"feature/b", "wip"}
    assert find_merged_branches(heads, [], []) == set()
    assert find_merged_branches(heads, ["a", "aaa"], ["feature"]) == set()
    assert find_merged_branches({}, ["a" * 40], ["feature/a"]) == set()
