"""Selects the files to read from a file listing, the most informative first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2

from loremark.memory.codebase.selection.exclusions import ExcludedDirectories, exclusion_reason, is_hostile_name
from loremark.memory.codebase.selection.file_kinds import FileKind, doc_rank, is_lock, is_migration, kind_of
from loremark.memory.codebase.selection.gitignore import IgnoredPaths

MAX = 5000
_MAX_BYTES = 1_048_576
_MIGRATIONS_FIRST = 5
# The share of the limit that a kind may take before the sources, but never less than a few files.
_SHARES = {
    FileKind.MANIFEST: 6,
    FileKind.LOCK: 20,
    FileKind.TOP_DOC: 12,
    FileKind.ENTRY: 6,
    FileKind.SETTINGS: 8,
    FileKind.SCHEMA: 8,
}
_FEW = 3
_REASONS = {
    "hostile-name": "with an invalid name",
    "no-text": "of an unsupported type",
    "too-large": "too large",
}
_MAX_TOGETHER = 8


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A listed file; the size is None if it was too large to fetch."""

    path: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The files to consider, and how many were left out by reason."""

    kept: tuple[ListedFile, ...]
    left_out: dict[str, int]


def list_candidates(listed: Sequence[ListedFile], ignore_files: Mapping[str, str]) -> Candidates:
    """Lists the files that are not vendored, generated or unreadable; sorted by path, without duplicates."""
    left_out: Counter[str] = Counter()
    sane: dict[str, ListedFile] = {}
    for file in listed:
        if is_hostile_name(file.path):
            left_out["hostile-name"] += 1
        else:
            sane.setdefault(file.path, file)
    foreign = ExcludedDirectories(sane)
    ignored = IgnoredPaths(ignore_files)
    kept: list[ListedFile] = []
    for path in sorted(sane):
        reason = foreign.reason(path) or exclusion_reason(path) or _reason_by_size(sane[path])
        if reason is None and path in ignored:
            reason = "ignored"
        if reason is None:
            kept.append(sane[path])
        else:
            left_out[reason] += 1
    return Candidates(tuple(kept), dict(sorted(left_out.items())))


def describe_left_out(left_out: Mapping[str, int]) -> str:
    """The counts in words: ``2 lock files, 1 too large``."""
    return ", ".join(
        f"{count} {_reason_in_words(reason, count)}" for reason, count in sorted(left_out.items()) if count
    )


def _reason_in_words(reason: str, count: int) -> str:
    if reason == "lock":
        return "lock file" if count == 1 else "lock files"
    return _REASONS.get(reason, reason)


def _reason_by_size(file: ListedFile) -> str | None:
    if file.size_bytes is None or (file.size_bytes > _MAX_BYTES and not is_lock(file.path)):
        return "too-large"
    return None


def select_files(candidates: Sequence[ListedFile], most: int, imported: Mapping[str, int]) -> tuple[str, ...]:
    """Selects at most ``most`` files to read, the most informative first.

    In this order: manifests, lock files, the README and top-level documents, entry points, tool settings, schemas and
    the newest few migrations. Each of these kinds gets only a share of the limit, files near the root first; the rest
    waits. Then sources: files that many others import and files near the root, with a penalty for each further file of
    a directory, so that no directory uses up the limit. Then what exceeded a share, templates and styles, tests and
    examples, documents, data, and finally empty files.
    """
    most = max(0, min(most, MAX))
    by_kind: dict[FileKind, list[str]] = defaultdict(list)
    empty: list[str] = []
    for file in candidates:
        if file.size_bytes == 0:
            empty.append(file.path)
        else:
            by_kind[kind_of(file.path)].append(file.path)
    by_kind[FileKind.ENTRY], more = _entries(by_kind[FileKind.ENTRY])
    by_kind[FileKind.SOURCE] += more
    sizes = {file.path: file.size_bytes or 0 for file in candidates}
    order: list[str] = []
    waiting: list[str] = []
    for kind, share in _SHARES.items():
        paths = _ranked(kind, by_kind[kind], imported)
        first = max(_FEW, most // share)
        order += paths[:first]
        waiting += paths[first:]
    order += _spread(by_kind[FileKind.SOURCE], imported, sizes)
    order += waiting
    for kind in (FileKind.VIEW, FileKind.TEST, FileKind.DOC, FileKind.DATA):
        order += _spread(by_kind[kind], imported, sizes)
    order += sorted(empty, key=_nearness)
    return tuple(dict.fromkeys(order))[:most]


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _ranked(kind: FileKind, paths: list[str], imported: Mapping[str, int]) -> list[str]:
    if kind is FileKind.TOP_DOC:
        return sorted(paths, key=lambda path: (doc_rank(path), _nearness(path)))
    if kind is FileKind.ENTRY:
        return sorted(paths, key=lambda path: (path.count("/"), "." not in path, -imported.get(path, 0), path))
    if kind is FileKind.SCHEMA:
        return _schemas(paths)
    return sorted(paths, key=_nearness)


def _schemas(paths: list[str]) -> list[str]:
    """Schemas, then the newest few migrations of each directory, by number or date in the name."""
    order = sorted((path for path in paths if not is_migration(path)), key=_nearness)
    by_directory: dict[str, list[str]] = defaultdict(list)
    for path in sorted((path for path in paths if is_migration(path)), key=_by_numbers, reverse=True):
        by_directory[path.rpartition("/")[0]].append(path)
    directories = sorted(by_directory, key=_nearness)
    for directory in directories:
        order += by_directory[directory][:_MIGRATIONS_FIRST]
    for directory in directories:
        order += by_directory[directory][_MIGRATIONS_FIRST:]
    return order


def _by_numbers(path: str) -> tuple[int, str]:
    """The first number in a name, so that 10 comes after 9."""
    name = path.rpartition("/")[2]
    digits = ""
    for character in name[:80]:
        if character in "0123456789":
            digits += character
        elif digits and character not in "_-":
            break
    return int(digits or "0"), name


def _entries(paths: list[str]) -> tuple[list[str], list[str]]:
    """Entry points, and those treated as ordinary sources because too many share a directory or name."""
    entries: list[str] = []
    others: list[str] = []
    seen: Counter[str] = Counter()
    for path in sorted(paths, key=_nearness):
        directory, _, name = path.rpartition("/")
        is_one_of_many = seen[f"{directory}/"] >= _MAX_TOGETHER or seen[name] >= _MAX_TOGETHER
        (others if is_one_of_many else entries).append(path)
        seen.update((f"{directory}/", name))
    return entries, others


def _spread(paths: list[str], imported: Mapping[str, int], sizes: Mapping[str, int]) -> list[str]:
    """Sorted by imports, depth and slightly by size, with each further file of a directory a little later."""
    worth = {
        path: log2(1 + max(0, imported.get(path, 0))) - 0.4 * path.count("/") + 0.2 * log2(1 + sizes[path] / 1024)
        for path in paths
    }
    taken: Counter[str] = Counter()
    late: dict[str, float] = {}
    for path in sorted(paths, key=lambda path: (-worth[path], path)):
        directory = path.rpartition("/")[0]
        above = directory.rpartition("/")[0]
        late[path] = worth[path] - 0.8 * log2(1 + taken[directory]) - 0.2 * log2(1 + taken[above + "/"])
        taken[directory] += 1
        taken[above + "/"] += 1
    return sorted(paths, key=lambda path: (-round(late[path], 6), path))
