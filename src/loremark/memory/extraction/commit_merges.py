"""Reads which branches a merge commit merged, and into which."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from loremark.memory.branches import COMMON_DEFAULT_BRANCHES
from loremark.memory.extraction.facts import branch_name

_INTO = r"(?: into ['\"]?(?P<into>[^\s'\"]{1,200}))?"
_NAME = r"['\"‘]?(?P<name>[^\s'\"‘’]{1,200})['\"’]?"
_FORMS = (
    re.compile(rf"Merged? (?:remote[- ])?(?:tracking )?branch {_NAME}(?: of \S{{1,300}})?{_INTO}", re.IGNORECASE),
    re.compile(r"Merged? pull request [#!]\d{1,9} from [^/\s:]{1,100}[/:](?P<name>\S{1,200})", re.IGNORECASE),
    re.compile(r"Merged? pull request [#!]\d{1,9} in \S{1,200} from (?P<name>\S{1,200})(?: to (?P<into>\S{1,200}))?"),
    re.compile(r"Merged in (?P<name>\S{1,200}) \(pull request #\d{1,9}\)"),
    re.compile(r"Merge (?:commit )?['\"]?(?P<name>[\w./#@-]{1,200})['\"]? into ['\"]?(?P<into>[^\s'\"]{1,200})"),
    re.compile(r"Merge (?:changes from )?(?P<name>(?:origin|upstream)/[^\s:]{1,200})", re.IGNORECASE),
)
_SEVERAL = re.compile(rf"Merge (?:remote-tracking )?branches (?P<names>'[^\n]{{1,1000}}'){_INTO}", re.IGNORECASE)
_QUOTED = re.compile(r"'([^'\s]{1,200})'")
_REMOTES = ("refs/remotes/", "remotes/", "origin/", "upstream/")


class MergedBranches(NamedTuple):
    """``into`` is None if the subject does not name it, as for a merge into the default branch."""

    names: tuple[str, ...]
    into: str | None


def parse_merge(subject: str) -> MergedBranches | None:
    """The branches that a merge commit's subject names, or None."""
    several = _SEVERAL.match(subject)
    found = several or next((match for form in _FORMS if (match := form.match(subject))), None)
    if found is None:
        return None
    names = _QUOTED.findall(several["names"]) if several else [found["name"]]
    return MergedBranches(tuple(name for one in names if (name := _local_name(one))), found.groupdict().get("into"))


def find_merged(subject: str, defaults: Collection[str | None]) -> Iterator[str]:
    """The branches that a subject says were merged into one of the default branches."""
    found = parse_merge(subject)
    if found is not None and (found.into is None or found.into in defaults or found.into in COMMON_DEFAULT_BRANCHES):
        yield from found.names


def is_branch_update(subject: str) -> bool:
    """Whether a merge brings a branch up to date with the default branch or another one."""
    found = parse_merge(subject)
    if found is None:
        return False
    return (found.into or "main") not in COMMON_DEFAULT_BRANCHES or set(found.names) <= COMMON_DEFAULT_BRANCHES


def _local_name(name: str) -> str | None:
    for remote in _REMOTES:
        name = name.removeprefix(remote)
    return branch_name({"name": name}, "name")
