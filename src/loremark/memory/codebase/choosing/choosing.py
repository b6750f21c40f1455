"""From the listing of a tree to the files that are read, the most telling first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log2

from loremark.memory.codebase.choosing.excluding import Foreign, is_hostile_name, reason_by_name
from loremark.memory.codebase.choosing.ignoring import Ignored
from loremark.memory.codebase.choosing.weighing import Kind, doc_rank, is_lock, is_migration, kind_of

MOST = 5000
_MAX_BYTES = 1_048_576
_MIGRATIONS_FIRST = 5
# How much of the bound a kind may take before the sources have had their turn; never less than a few.
_SHARES = {Kind.MANIFEST: 6, Kind.LOCK: 20, Kind.TOP_DOC: 12, Kind.ENTRY: 6, Kind.SETTINGS: 8, Kind.SCHEMA: 8}
_FEW = 3
_MOST_TOGETHER = 8


@dataclass(frozen=True, slots=True)
class Listed:
    """A file of a tree; the size is None where it was too large to fetch."""

    path: str
    size_bytes: int | None


@dataclass(frozen=True, slots=True)
class Candidates:
    """The files that are worth reading, and how many are not, by reason."""

    kept: tuple[Listed, ...]
    left_out: dict[str, int]


def candidates(listed: Sequence[Listed], ignore_files: Mapping[str, str]) -> Candidates:
    """Leaves out what is not written here, not written by hand, or has nothing to read; sorted by path, each once."""
    left_out: Counter[str] = Counter()
    sane: dict[str, Listed] = {}
    for file in listed:
        if is_hostile_name(file.path):
            left_out["hostile-name"] += 1
        else:
            sane.setdefault(file.path, file)
    foreign = Foreign(sane)
    ignored = Ignored(ignore_files)
    kept: list[Listed] = []
    for path in sorted(sane):
        reason = foreign.reason(path) or reason_by_name(path) or _reason_by_size(sane[path])
        if reason is None and path in ignored:
            reason = "ignored"
        if reason is None:
            kept.append(sane[path])
        else:
            left_out[reason] += 1
    return Candidates(tuple(kept), dict(sorted(left_out.items())))


def _reason_by_size(file: Listed) -> str | None:
    if file.size_bytes is None or (file.size_bytes > _MAX_BYTES and not is_lock(file.path)):
        return "too-large"
    return None


def choose(candidates: Sequence[Listed], most: int, imported: Mapping[str, int]) -> tuple[str, ...]:
    """The files to read, at most ``most``, the most telling first.

    In this order: manifests, lock files, the README and the documents at the top, entry points, the settings of tools,
    schemas and the newest few migrations. Each of these kinds takes only a share of the bound, the nearest to the top
    first; what is over the share waits. Then the sources: those that many files import, those near the top, and with
    every further file of one directory its siblings wait a little longer, so that no directory eats the bound. Then
    what was over a share, templates and styles, tests and examples, documents, data, and last of all empty files.
    """
    most = max(0, min(most, MOST))
    by_kind: dict[Kind, list[str]] = defaultdict(list)
    empty: list[str] = []
    for file in candidates:
        if file.size_bytes == 0:
            empty.append(file.path)
        else:
            by_kind[kind_of(file.path)].append(file.path)
    by_kind[Kind.ENTRY], more = _entries(by_kind[Kind.ENTRY])
    by_kind[Kind.SOURCE] += more
    sizes = {file.path: file.size_bytes or 0 for file in candidates}
    order: list[str] = []
    waiting: list[str] = []
    for kind, share in _SHARES.items():
        paths = _ranked(kind, by_kind[kind], imported)
        first = max(_FEW, most // share)
        order += paths[:first]
        waiting += paths[first:]
    order += _spread(by_kind[Kind.SOURCE], imported, sizes)
    order += waiting
    for kind in (Kind.VIEW, Kind.TEST, Kind.DOC, Kind.DATA):
        order += _spread(by_kind[kind], imported, sizes)
    order += sorted(empty, key=_nearness)
    return tuple(dict.fromkeys(order))[:most]


def _nearness(path: str) -> tuple[int, str]:
    return path.count("/"), path


def _ranked(kind: Kind, paths: list[str], imported: Mapping[str, int]) -> list[str]:
    if kind is Kind.TOP_DOC:
        return sorted(paths, key=lambda path: (doc_rank(path), _nearness(path)))
    if kind is Kind.ENTRY:
        return sorted(paths, key=lambda path: (path.count("/"), "." not in path, -imported.get(path, 0), path))
    if kind is Kind.SCHEMA:
        return _schemas(paths)
    return sorted(paths, key=_nearness)


def _schemas(paths: list[str]) -> list[str]:
    """Schemas, then of each directory of migrations the newest few: their names are numbered or dated."""
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
    """The first number of a name, so that 10 comes after 9."""
    name = path.rpartition("/")[2]
    digits = ""
    for character in name[:80]:
        if character in "0123456789":
            digits += character
        elif digits and character not in "_-":
            break
    return int(digits or "0"), name


def _entries(paths: list[str]) -> tuple[list[str], list[str]]:
    """Entry points, and those that are sources like others because too many lie together or share a name."""
    entries: list[str] = []
    others: list[str] = []
    seen: Counter[str] = Counter()
    for path in sorted(paths, key=_nearness):
        directory, _, name = path.rpartition("/")
        is_one_of_many = seen[f"{directory}/"] >= _MOST_TOGETHER or seen[name] >= _MOST_TOGETHER
        (others if is_one_of_many else entries).append(path)
        seen.update((f"{directory}/", name))
    return entries, others


def _spread(paths: list[str], imported: Mapping[str, int], sizes: Mapping[str, int]) -> list[str]:
    """By imports, nearness and a little by size, each further file of a directory a little later."""
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
