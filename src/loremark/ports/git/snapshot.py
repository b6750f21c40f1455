"""A repository at one commit: its files, their contents, and recent history."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from loremark.ports.git.failures import RepositoryFailed
from loremark.ports.git.mirror import Mirror
from loremark.ports.git.shallow_clone import CONTENT_BYTES, ShallowClones

_MIB = 1024 * 1024
_LIST_BYTES = 32 * _MIB
_MAX_FILES = 200_000
_MAX_DIRECTORIES = 100_000
"""A few nested trees can expand to millions of directories."""
_PORTION_BYTES = 8 * _MIB
_ANSWER_BYTES = 32 * _MIB
_HEADER_BYTES = 128
_LOG_BYTES = _MIB
_MAX_COMMITS = 1_000
_LONGEST_SUBJECT = 500
_LONGEST_AUTHOR = 200
_LAST_SECOND = 253_402_300_799  # of the year 9999
_FULL_NAME = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_FILE_MODES = (b"100644", b"100755")
_LIST = ("ls-tree", "-r", "-z", "--full-tree")
# Lists local objects only: asking for the tree's blobs would make git look for each missing one.
_SIZES = ("cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname) %(objectsize)")
_LOG = ("log", "-z", "--no-notes", "--no-mailmap", "--no-decorate", "--format=tformat:%H%x00%an%x00%at%x00%s")


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of the tree. ``size_bytes`` is None if it was too large to fetch."""

    path: str
    blob: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit of the history."""

    sha: str
    subject: str
    author: str
    date_ms: int


class Snapshot:
    """A repository at one commit. The clone is locked only during calls, and fetched again if it was removed."""

    def __init__(self, tips: ShallowClones, commit: str, branch: str | None) -> None:
        self.commit = commit
        self.branch = branch
        self._tips = tips

    async def entries(self) -> list[TreeEntry]:
        """Return the regular files in tree order."""

        async def ask(mirror: Mirror) -> list[TreeEntry]:
            listed = await mirror.read([*_LIST, self.commit], max_bytes=_LIST_BYTES)
            if listed.cut or listed.out.count(b"\0") > _MAX_FILES:
                raise RepositoryFailed("The repository has too many files.")
            sizes = await mirror.read(_SIZES, max_bytes=_LIST_BYTES)
            if sizes.cut:
                raise RepositoryFailed("The repository has too many files.")
            found = await asyncio.to_thread(_entries, listed.out, sizes.out)
            if await asyncio.to_thread(_directories, found) > _MAX_DIRECTORIES:
                raise RepositoryFailed("The repository has too many directories.")
            return found

        return await self._tips.use(self.commit, ask)

    async def read(self, blobs: Sequence[str], *, max_bytes: int = _ANSWER_BYTES) -> dict[str, bytes]:
        """Return blob contents by name, skipping missing and large ones, up to ``max_bytes`` in total."""
        named = [blob for blob in dict.fromkeys(blobs) if _FULL_NAME.fullmatch(blob)]

        async def ask(mirror: Mirror) -> dict[str, bytes]:
            known = [each for each in await mirror.find(named) if each is not None]
            sizes = [(each.id, each.size_bytes) for each in known if each.kind == "blob"]
            contents: dict[str, bytes] = {}
            for portion in _portions(sizes, max_bytes):
                asked = "".join(f"{blob}\n" for blob in portion).encode()
                bound = sum(portion.values()) + _HEADER_BYTES * len(portion)
                output = await mirror.read(["cat-file", "--batch"], stdin=asked, max_bytes=bound)
                contents.update(_contents(output.out, portion))
            return contents

        return await self._tips.use(self.commit, ask) if named else {}

    async def commits(self, most: int = 60) -> list[PastCommit]:
        """Return the latest commits, newest first, or none if the host cannot send them cheaply."""
        count = max(1, min(most, _MAX_COMMITS))

        async def ask(mirror: Mirror) -> list[PastCommit]:
            output = await mirror.read([*_LOG, f"--max-count={count}", self.commit, "--"], max_bytes=_LOG_BYTES)
            return list(_past(output.out))

        try:
            return await self._tips.use_history(self.commit, count, ask)
        except RepositoryFailed:
            return []


def checked_commit(name: str) -> str:
    """Validate a full commit name; hosts do not accept abbreviations."""
    if not _FULL_NAME.fullmatch(name.lower()):
        raise RepositoryFailed("A full commit hash must have 40 or 64 hexadecimal digits.")
    return name.lower()


def _entries(listed: bytes, known: bytes) -> list[TreeEntry]:
    sizes = {name: size for name, _, size in (line.partition(b" ") for line in known.splitlines())}
    entries = []
    for entry in listed.split(b"\0")[:-1]:
        about, _, name = entry.partition(b"\t")
        mode, _, blob = about.split(b" ")
        if mode in _FILE_MODES:
            size = sizes.get(blob)
            entries.append(TreeEntry(name.decode(errors="replace"), blob.decode(), None if size is None else int(size)))
    return entries


def _directories(entries: Sequence[TreeEntry]) -> int:
    """Count the directories of the files, which are in tree order."""
    count = 0
    before: list[str] = []
    for entry in entries:
        here = entry.path.split("/")[:-1]
        if here != before:
            shared = takewhile(lambda pair: pair[0] == pair[1], zip(before, here, strict=False))
            count += len(here) - sum(1 for _ in shared)
            before = here
    return count


def _portions(sizes: Sequence[tuple[str, int]], max_bytes: int) -> Iterator[dict[str, int]]:
    """Yield batches of blobs to read in one call, with their sizes."""
    portion: dict[str, int] = {}
    left, room = max_bytes, _PORTION_BYTES
    for blob, size in sizes:
        if size > min(CONTENT_BYTES, left):
            continue
        if portion and size + _HEADER_BYTES > room:
            yield portion
            portion, room = {}, _PORTION_BYTES
        portion[blob] = size
        left -= size
        room -= size + _HEADER_BYTES
    if portion:
        yield portion


def _contents(output: bytes, portion: dict[str, int]) -> Iterator[tuple[str, bytes]]:
    """Parse the output of `cat-file --batch`: header line, content, newline."""
    at = 0
    for blob, size in portion.items():
        line = f"{blob} blob {size}\n".encode()
        if not output.startswith(line, at):
            return
        begin = at + len(line)
        at = begin + size + 1
        if len(output) >= at:
            yield blob, output[begin : at - 1]


def _past(output: bytes) -> Iterator[PastCommit]:
    fields = output.decode(errors="replace").split("\0")[:-1]
    for number in range(0, len(fields) - 3, 4):
        sha, author, second, subject = fields[number : number + 4]
        yield PastCommit(sha, subject[:_LONGEST_SUBJECT], author[:_LONGEST_AUTHOR], _milliseconds(second))


def _milliseconds(second: str) -> int:
    """Convert a commit date, which can be anything."""
    digits = second[:20]
    return min(int(digits), _LAST_SECOND) * 1000 if digits.isascii() and digits.isdigit() else 0
