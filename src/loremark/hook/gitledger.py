"""What was told of a repository's history, kept per repository and project; its worktrees and clones share it."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from loremark.base.folders import state_folder
from loremark.hook import files

_MOST_TIPS = 200
_MOST_TOLD = 10_000
_MOST_BYTES = 16_777_216


class Ledger(NamedTuple):
    """The last commit told of each branch, and the newest commits told with a fingerprint of what they change."""

    tips: dict[str, str]
    told: dict[str, str]

    @property
    def by_change(self) -> dict[str, str]:
        """The commit that told a change first."""
        return {change: sha for sha, change in reversed(self.told.items())}


def load(name: str) -> Ledger:
    """What is kept; nothing, where it is missing or spoiled."""
    try:
        read = json.loads(files.read_bounded(_path(name), _MOST_BYTES) or b"{}")
    except (ValueError, RecursionError):
        read = None
    kept = read if isinstance(read, dict) else {}
    return Ledger(_texts(kept.get("tips")), _texts(kept.get("told")))


def add(name: str, told: dict[str, str], tips: dict[str, str]) -> None:
    """Note commits that were told, and how far branches were. Safe beside others who do, and in a crash."""
    with _lock(name):
        ledger = load(name)
        others = {branch: sha for branch, sha in ledger.tips.items() if branch not in tips}  # the newest come last
        kept = {
            "tips": dict(list({**others, **tips}.items())[-_MOST_TIPS:]),
            "told": dict(list({**ledger.told, **told}.items())[-_MOST_TOLD:]),
        }
        files.write_whole(_path(name), json.dumps(kept).encode())


def name_of(identity: str, project: str) -> str:
    """One ledger for each repository and project: another project has been told nothing yet."""
    return hashlib.sha256(f"{identity}\n{project}".encode(errors="replace")).hexdigest()[:40]


def folder() -> str:
    """For what is kept of repositories."""
    return os.path.join(state_folder(), "git")


def _path(name: str) -> str:
    return os.path.join(folder(), f"{name}.json")


@contextmanager
def _lock(name: str) -> Iterator[None]:
    files.private_folder(folder())
    number = os.open(f"{_path(name)}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(number, fcntl.LOCK_EX)
        yield
    finally:
        os.close(number)


def _texts(value: object) -> dict[str, str]:
    found = value if isinstance(value, dict) else {}
    return {key: each for key, each in found.items() if isinstance(key, str) and isinstance(each, str)}
