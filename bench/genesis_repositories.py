"""Real repositories for the Genesis benchmark: bare git directories in the folder LOREMARK_BENCH_REPOS.

``python -m bench.genesis_repositories`` checks the facts about them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from loremark.memory.codebase.records import Commit
from loremark.memory.evaluation.codebase_facts import SPLITS, Facts, Split, find_missing_paths, load

VARIABLE = "LOREMARK_BENCH_REPOS"
_SECONDS = 120
_LARGEST = 4_000_000
_AT_ONCE_BLOBS = 500
_AT_ONCE_BYTES = 64_000_000


@dataclass(frozen=True)
class Entry:
    """A file in the listing, without links and submodules. ``size`` is None if its content is missing."""

    path: str
    blob: str
    size: int | None


@dataclass(frozen=True)
class Repository:
    """A repository at the commit of its facts, or at HEAD if that commit is missing."""

    facts: Facts
    directory: Path
    commit: str

    @property
    def name(self) -> str:
        return self.facts.repository

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        lines = _git(self.directory, "ls-tree", "-r", "-l", "-z", "--full-tree", self.commit).split(b"\0")
        return tuple(_entries(lines))

    def read(self, blobs: Iterable[str], largest: int = _LARGEST) -> dict[str, bytes]:
        """Contents by blob, without larger or missing ones."""
        sizes = {entry.blob: entry.size for entry in self.entries}
        wanted = [blob for blob in dict.fromkeys(blobs) if (size := sizes.get(blob)) is not None and size <= largest]
        contents: dict[str, bytes] = {}
        for batch in _batches(wanted, {blob: size or 0 for blob, size in sizes.items()}):
            contents.update(_contents(_git(self.directory, "cat-file", "--batch", given="\n".join(batch))))
        return contents

    def commits(self, most: int) -> tuple[Commit, ...]:
        """The newest commits of the branch."""
        output = _git(self.directory, "log", "-z", f"--max-count={most}", "--format=%ct%x1f%an%x1f%s", self.commit)
        rows = (row.split("\x1f", 2) for row in output.decode(errors="replace").split("\0") if row)
        return tuple(Commit(subject=row[2], author=row[1], date_ms=int(row[0]) * 1000) for row in rows)


def find_folder() -> Path | None:
    """The folder named by the environment; None, with a message, if there is none."""
    named = os.environ.get(VARIABLE)
    if named and Path(named).is_dir():
        return Path(named)
    why = f"{named} is not a folder" if named else "it is not set"
    print(f"{VARIABLE}: {why}; it names a folder with bare repositories as <owner>+<name>/repo", file=sys.stderr)
    return None


def repositories(folder: Path, splits: Sequence[Split] = ("dev",)) -> Iterator[Repository]:
    """The available repositories of the splits; missing ones and other commits are reported."""
    for facts in (facts for split in splits for facts in load(split)):
        directory = folder / facts.repository.replace("/", "+") / "repo"
        if not directory.is_dir():
            print(f"{facts.repository}: not in {folder}", file=sys.stderr)
            continue
        commit = facts.commit if _has_commit(directory, facts.commit) else _head(directory)
        if commit != facts.commit:
            print(f"{facts.repository}: at {commit}, its facts describe {facts.commit}", file=sys.stderr)
        yield Repository(facts, directory, commit)


def main() -> int:
    """Check every path that the facts name, and report the missing ones."""
    folder = find_folder()
    if folder is None:
        return 2
    has_missing = False
    for repository in repositories(folder, SPLITS):
        missing = find_missing_paths(repository.facts, [entry.path for entry in repository.entries])
        has_missing = has_missing or bool(missing)
        print(f"{repository.name}: {len(repository.entries)} files, {f'missing: {missing}' if missing else 'complete'}")
    return int(has_missing)


def _entries(lines: Iterable[bytes]) -> Iterator[Entry]:
    for line in lines:
        about, _, path = line.partition(b"\t")
        fields = about.decode().split()
        if len(fields) == 4 and fields[0].startswith("100"):
            size = int(fields[3]) if fields[3].isdigit() else None
            yield Entry(path.decode(errors="replace"), fields[2], size)


def _batches(blobs: Sequence[str], sizes: dict[str, int]) -> Iterator[list[str]]:
    """Split the blobs into batches that fit into memory."""
    batch: list[str] = []
    weight = 0
    for blob in blobs:
        if batch and (len(batch) == _AT_ONCE_BLOBS or weight + sizes[blob] > _AT_ONCE_BYTES):
            yield batch
            batch, weight = [], 0
        batch.append(blob)
        weight += sizes[blob]
    if batch:
        yield batch


def _contents(output: bytes) -> Iterator[tuple[str, bytes]]:
    at = 0
    while at < len(output):
        end = output.index(b"\n", at)
        fields = output[at:end].decode().split()
        at = end + 1
        if fields[-1] == "missing":
            continue
        size = int(fields[2])
        yield fields[0], output[at : at + size]
        at += size + 1


def _head(directory: Path) -> str:
    return _git(directory, "rev-parse", "HEAD").decode().strip()


def _has_commit(directory: Path, commit: str) -> bool:
    output = _git(directory, "cat-file", "--batch-check", given=commit).decode().split()
    return len(output) > 1 and output[1] == "commit"


def _git(directory: Path, *arguments: str, given: str = "") -> bytes:
    """The output of git, without prompts or network."""
    done = subprocess.run(
        ["git", "--git-dir", str(directory), *arguments],
        input=given.encode(),
        capture_output=True,
        check=True,
        timeout=_SECONDS,
        env={**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_NO_LAZY_FETCH": "1"},
    )
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
