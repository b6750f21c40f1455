"""Facts about real repositories, written down by people who read them, and how many of them an analysis finds."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from loremark.memory.codebase.records import Category, Tech
from loremark.memory.evaluation.labeled_sets import CHECKOUT_SETS, read_files
from loremark.memory.evaluation.report import align_columns

Split = Literal["dev", "dev2", "dev3", "dev4", "test", "entry-points-dev", "entry-points-test"]
SPLITS: tuple[Split, ...] = get_args(Split)
"""The ``entry-points`` splits contain only entry points, in the narrow sense of their ``kind``."""

ENTRIES_TOP, ENTRIES_NEAR, ENTRIES_TOLD = 15, 40, 80
DIRECTORIES_READ = 25
"""How many entries count. Without a limit, listing all paths would find everything."""

_SIZES = {"stack_must": (8, 30), "entry_points": (2, 12), "directories": (3, 12)}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_NOT_IN_NAMES = re.compile(r"[^\w+#]|_")


class InvalidFactsError(ValueError):
    """A fact that contradicts itself or another."""


class Technology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A technology that the stack must list, with a file or folder that proves it."""

    name: str
    category: Category
    evidence: str
    aliases: tuple[str, ...] = ()


class OptionalTechnology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A technology that the stack may list or omit."""

    name: str
    aliases: tuple[str, ...] = ()


class EntryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a program starts; the paths in ``also`` are equally right."""

    path: str
    what: str
    also: tuple[str, ...] = ()
    kind: Literal["cli", "server", "routes", "job"] | None = None
    """Set where entry points are meant in the narrow sense."""


class Directory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder that a newcomer has to know; the paths in ``also`` are equally right."""

    path: str
    role: str
    also: tuple[str, ...] = ()


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is true of a repository at one commit."""

    repository: str
    """``owner/name``."""
    commit: str
    entry_points: tuple[EntryPoint, ...]
    stack_must: tuple[Technology, ...] = ()
    stack_may: tuple[OptionalTechnology, ...] = ()
    directories: tuple[Directory, ...] = ()

    @property
    def has_only_entry_points(self) -> bool:
        """Whether only entry points were written down."""
        return not (self.stack_must or self.stack_may or self.directories)


@dataclass(frozen=True, slots=True)
class Share:
    """A ratio; an empty one counts as 1."""

    right: int
    of: int

    @property
    def value(self) -> float:
        return self.right / self.of if self.of else 1.0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.of + other.of)


@dataclass(frozen=True, slots=True)
class Score:
    """The result for one repository, with the errors."""

    repository: str
    stack_recall: Share
    stack_precision: Share
    categories: Share
    entry_recall: Share
    entries_near: Share
    entries_told: Share
    directory_recall: Share
    missed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    misplaced: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    missed_entries: tuple[str, ...] = ()
    missed_directories: tuple[str, ...] = ()

    @property
    def figures(self) -> dict[str, Share]:
        return {
            "stack recall": self.stack_recall,
            "stack precision": self.stack_precision,
            "categories": self.categories,
            f"entries@{ENTRIES_TOP}": self.entry_recall,
            f"entries@{ENTRIES_NEAR}": self.entries_near,
            f"entries@{ENTRIES_TOLD}": self.entries_told,
            f"directories@{DIRECTORIES_READ}": self.directory_recall,
        }

    @property
    def lists(self) -> dict[str, tuple[str, ...]]:
        return {
            "missed": self.missed,
            "wrong": self.wrong,
            "misplaced": self.misplaced,
            "repeated": self.repeated,
            "entries missed": self.missed_entries,
            "directories missed": self.missed_directories,
        }


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of a split. Errors on test splits are listed only on request: reading them would spoil the split."""

    split: str
    scores: tuple[Score, ...]

    @property
    def totals(self) -> dict[str, Share]:
        """Micro-averaged: every fact has the same weight."""
        summed: dict[str, Share] = {}
        for score in self.scores:
            for name, share in score.figures.items():
                summed[name] = summed.get(name, Share(0, 0)) + share
        return summed

    def to_table(self, has_lists: bool | None = None) -> str:
        """One line per repository, then the errors."""
        rows = [(score.repository, *map(_cell, score.figures.values())) for score in self.scores]
        table = align_columns([(self.split, *self.totals), *rows, ("total", *map(_cell, self.totals.values()))])
        return "\n".join([table, *self._error_lines()]) if self._tells(has_lists) else table

    def to_json(self, has_lists: bool | None = None) -> str:
        """The same as JSON."""
        found_techs: dict[str, Any] = {"split": self.split, "total": _numbers(self.totals), "repositories": {}}
        for score in self.scores:
            lists = score.lists if self._tells(has_lists) else {}
            found_techs["repositories"][score.repository] = {**_numbers(score.figures), **lists}
        return msgspec.json.encode(found_techs).decode()

    def _tells(self, has_lists: bool | None) -> bool:
        return not self.split.endswith("test") if has_lists is None else has_lists

    def _error_lines(self) -> Iterator[str]:
        for score in self.scores:
            for name, values in score.lists.items():
                if values:
                    yield f"{score.repository} {name}: {', '.join(values)}"


def load(split: Split, sets: Path = CHECKOUT_SETS) -> tuple[Facts, ...]:
    """Load and validate a split. Use the test splits for measuring only, never for tuning."""
    (text,) = read_files(sets / "codebases", f"{split}.json")
    return parse(text)


def parse(text: bytes | str) -> tuple[Facts, ...]:
    """Parse facts; raises InvalidFactsError at the first invalid one."""
    try:
        found = msgspec.json.decode(text, type=tuple[Facts, ...])
    except (msgspec.ValidationError, msgspec.DecodeError) as fault:
        raise InvalidFactsError(str(fault)) from fault
    names = [facts.repository for facts in found]
    if len(set(names)) < len(names):
        raise InvalidFactsError(f"duplicate repository: {names}")
    for facts in found:
        _check(facts)
    return found


def plain_name(name: str) -> str:
    """A name without case and punctuation: ``Node.js`` is ``nodejs``. C, C++ and C# stay distinct."""
    return _NOT_IN_NAMES.sub("", name.casefold())


def normalize_path_name(path: str) -> str:
    """A path as git writes it: no leading ``./``, no trailing slash."""
    return path.strip().replace("\\", "/").removeprefix("./").rstrip("/")


def score(facts: Facts, stack: Sequence[Tech], entry_paths: Sequence[str], directories: Sequence[str]) -> Score:
    """Score an analysis of a repository against its facts. Paths count in the order given."""
    found_techs: dict[str, list[Tech]] = {}
    for tech in stack:
        found_techs.setdefault(plain_name(tech.name), []).append(tech)
    may = {name for known in facts.stack_may for name in _names(known)}
    categories = {
        known.name: {tech.category for name in _names(known) for tech in found_techs.get(name, ())}
        for known in facts.stack_must
    }
    found = [known for known in facts.stack_must if categories[known.name]]
    misplaced = [known for known in found if known.category not in categories[known.name]]
    must = {name for known in found for name in _names(known)}
    wrong = [techs[0].name for name, techs in found_techs.items() if name not in must and name not in may]
    missed_entries = _absent(facts.entry_points, _first(entry_paths, ENTRIES_TOP))
    missed_directories = _absent(facts.directories, _first(directories, DIRECTORIES_READ))
    return Score(
        repository=facts.repository,
        stack_recall=Share(len(found), len(facts.stack_must)),
        stack_precision=Share(0, 0)
        if facts.has_only_entry_points
        else Share(len(found_techs) - len(wrong), len(found_techs)),
        categories=Share(len(found) - len(misplaced), len(found)),
        entry_recall=_recall(facts, entry_paths, ENTRIES_TOP),
        entries_near=_recall(facts, entry_paths, ENTRIES_NEAR),
        entries_told=_recall(facts, entry_paths, ENTRIES_TOLD),
        directory_recall=Share(len(facts.directories) - len(missed_directories), len(facts.directories)),
        missed=tuple(known.name for known in facts.stack_must if not categories[known.name]),
        wrong=() if facts.has_only_entry_points else tuple(wrong),
        misplaced=tuple(f"{known.name} ({', '.join(sorted(categories[known.name]))})" for known in misplaced),
        repeated=tuple(techs[0].name for techs in found_techs.values() if len(techs) > 1),
        missed_entries=missed_entries,
        missed_directories=missed_directories,
    )


def _recall(facts: Facts, entry_paths: Sequence[str], most: int) -> Share:
    absent = _absent(facts.entry_points, _first(entry_paths, most))
    return Share(len(facts.entry_points) - len(absent), len(facts.entry_points))


def find_missing_paths(facts: Facts, paths: Collection[str]) -> list[str]:
    """Paths that the facts name and the repository does not contain."""
    files = set(paths)
    folders = {path[:at] for path in files for at, letter in enumerate(path) if letter == "/"}
    wanted = [(known.evidence, files | folders) for known in facts.stack_must]
    wanted += [(path, files) for entry in facts.entry_points for path in (entry.path, *entry.also)]
    wanted += [(path, folders) for directory in facts.directories for path in (directory.path, *directory.also)]
    return [path for path, among in wanted if path not in among]


def _check(facts: Facts) -> None:
    if not _COMMIT.fullmatch(facts.commit):
        raise InvalidFactsError(f"{facts.repository}: {facts.commit!r} is not a commit")
    sizes = {"entry_points": _SIZES["entry_points"]} if facts.has_only_entry_points else _SIZES
    for field, (least, most) in sizes.items():
        if not least <= len(getattr(facts, field)) <= most:
            raise InvalidFactsError(f"{facts.repository}: expected {least} to {most} {field}")
    stack: list[Technology | OptionalTechnology] = [*facts.stack_must, *facts.stack_may]
    _unique(facts, (name for known in stack for name in _names(known)))
    _unique(facts, (entry.path for entry in facts.entry_points))
    _unique(facts, (directory.path for directory in facts.directories))


def _unique(facts: Facts, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if not value or value in seen:
            raise InvalidFactsError(f"{facts.repository}: {value!r} is empty or a duplicate")
        seen.add(value)


def _names(known: Technology | OptionalTechnology) -> Iterator[str]:
    return map(plain_name, (known.name, *known.aliases))


def _first(paths: Sequence[str], most: int) -> frozenset[str]:
    return frozenset(list(dict.fromkeys(map(normalize_path_name, paths)))[:most])


def _absent(known: Sequence[EntryPoint | Directory], found_techs: frozenset[str]) -> tuple[str, ...]:
    return tuple(place.path for place in known if found_techs.isdisjoint((place.path, *place.also)))


def _cell(share: Share) -> str:
    return f"{share.value:.3f} ({share.right}/{share.of})" if share.of else "-"


def _numbers(figures: dict[str, Share]) -> dict[str, Any]:
    return {name: {"value": share.value, "right": share.right, "of": share.of} for name, share in figures.items()}
