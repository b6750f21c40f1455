"""Remember which commits were reported, per repository and project. Worktrees and clones share a ledger."""

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

_MAX_TIPS = 200
_MAX_REPORTED = 10_000
_MAX_BYTES = 16_777_216


class Ledger(NamedTuple):
    """The last reported commit of each branch, and recently reported commits with their fingerprints."""

    tips: dict[str, str]
    reported: dict[str, str]

    @property
    def by_change(self) -> dict[str, str]:
        """Map each fingerprint to the first commit reported with it."""
        return {change: sha for sha, change in reversed(self.reported.items())}


def load(name: str) -> Ledger:
    """Return the ledger; empty if it is missing or damaged."""
    try:
        read = json.loads(files.read_bounded(_path(name), _MAX_BYTES) or b"{}")
    except (ValueError, RecursionError):
        read = None
    kept = read if isinstance(read, dict) else {}
    return Ledger(_texts(kept.get("tips")), _texts(kept.get("reported")))


def add(name: str, reported: dict[str, str], tips: dict[str, str]) -> None:
    """Add reported commits and branch tips. Safe against concurrent writers and crashes."""
    with _lock(name):
        ledger = load(name)
        others = {branch: sha for branch, sha in ledger.tips.items() if branch not in tips}  # keep the newest last
        kept = {
            "tips": dict(list({**others, **tips}.items())[-_MAX_TIPS:]),
            "reported": dict(list({**ledger.reported, **reported}.items())[-_MAX_REPORTED:]),
        }
        files.write_atomic(_path(name), json.dumps(kept).encode())


def ledger_name(identity: str, project: str) -> str:
    """Return the ledger's name for a repository and project."""
    return hashlib.sha256(f"{identity}\n{project}".encode(errors="replace")).hexdigest()[:40]


def folder() -> str:
    """Return the folder for repository state."""
    return os.path.join(state_folder(), "git")


def _path(name: str) -> str:
    return os.path.join(folder(), f"{name}.json")


@contextmanager
def _lock(name: str) -> Iterator[None]:
    files.ensure_private_folder(folder())
    lock = os.open(f"{_path(name)}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _texts(value: object) -> dict[str, str]:
    found = value if isinstance(value, dict) else {}
    return {key: each for key, each in found.items() if isinstance(key, str) and isinstance(each, str)}
