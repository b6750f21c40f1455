"""Facts of real repositories, written down by people who read them, and how much of them an analyser tells."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal, get_args

import msgspec

from loremark.memory.codebase.records import Category, Tech
from loremark.memory.evaluation.report import aligned

Split = Literal["dev", "dev2", "dev3", "dev4", "test", "starts-dev", "starts-test"]
SPLITS: tuple[Split, ...] = get_args(Split)
"""In those that are called for starts only entry points were written down, in the narrow sense: see their kinds."""

ENTRIES_READ, ENTRIES_NEAR, ENTRIES_TOLD = 15, 40, 80
DIRECTORIES_READ = 25
"""What is read first, what soon, and what is told at all; without an end, telling all paths would find all."""

_SIZES = {"stack_must": (8, 30), "entry_points": (2, 12), "directories": (3, 12)}
_COMMIT = re.compile(r"[0-9a-f]{40}")
_NOT_IN_NAMES = re.compile(r"[^\w+#]|_")


class FaultyFactsError(ValueError):
    """A fact that contradicts itself or another."""


class Technology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a page about the stack has to name, with a file or folder that shows it."""

    name: str
    category: Category
    evidence: str
    aliases: tuple[str, ...] = ()


class FurtherTechnology(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is used too, and may be named or left out."""

    name: str
    aliases: tuple[str, ...] = ()


class EntryPoint(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A place where something begins; one of ``also`` is as good an answer."""

    path: str
    what: str
    also: tuple[str, ...] = ()
    kind: Literal["cli", "server", "routes", "job"] | None = None
    """Where the facts are of starts in the narrow sense."""


class Directory(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A folder that a new colleague has to know; one of ``also`` is as good an answer."""

    path: str
    role: str
    also: tuple[str, ...] = ()


class Facts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is true of one repository at one commit."""

    repository: str
    """``owner/name``."""
    commit: str
    entry_points: tuple[EntryPoint, ...]
    stack_must: tuple[Technology, ...] = ()
    stack_may: tuple[FurtherTechnology, ...] = ()
    directories: tuple[Directory, ...] = ()

    @property
    def is_of_starts(self) -> bool:
        """Whether nothing but entry points was written down."""
        return not (self.stack_must or self.stack_may or self.directories)


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many; of nothing, nothing is wrong."""

    right: int
    of: int

    @property
    def value(self) -> float:
        return self.right / self.of if self.of else 1.0

    def __add__(self, other: Share) -> Share:
        return Share(self.right + other.right, self.of + other.of)


@dataclass(frozen=True, slots=True)
class Score:
    """How an analyser did on one repository, and what went wrong."""

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
            f"entries@{ENTRIES_READ}": self.entry_recall,
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
    """The scores of a split. Lists of closed ones are told on request only: who reads them has tuned on them."""

    split: str
    scores: tuple[Score, ...]

    @property
    def totals(self) -> dict[str, Share]:
        """Micro-averaged: every fact weighs the same, whichever repository it is of."""
        summed: dict[str, Share] = {}
        for score in self.scores:
            for name, share in score.figures.items():
                summed[name] = summed.get(name, Share(0, 0)) + share
        return summed

    def to_table(self, has_lists: bool | None = None) -> str:
        """For a person: a line a repository, then what went wrong."""
        rows = [(score.repository, *map(_cell, score.figures.values())) for score in self.scores]
        table = aligned([(self.split, *self.totals), *rows, ("total", *map(_cell, self.totals.values()))])
        return "\n".join([table, *self._told_lists()]) if self._tells(has_lists) else table

    def to_json(self, has_lists: bool | None = None) -> str:
        """The same for a machine."""
        told: dict[str, Any] = {"split": self.split, "total": _numbers(self.totals), "repositories": {}}
        for score in self.scores:
            lists = score.lists if self._tells(has_lists) else {}
            told["repositories"][score.repository] = {**_numbers(score.figures), **lists}
        return msgspec.json.encode(told).decode()

    def _tells(self, has_lists: bool | None) -> bool:
        return not self.split.endswith("test") if has_lists is None else has_lists

    def _told_lists(self) -> Iterator[str]:
        for score in self.scores:
            for name, values in score.lists.items():
                if values:
                    yield f"{score.repository} {name}: {', '.join(values)}"


def load(split: Split) -> tuple[Facts, ...]:
    """The facts of that split, checked. Those for a test are for measuring only: nobody tunes on them."""
    folder = resources.files("loremark.memory.evaluation").joinpath("sets", "codebases")
    return parse(folder.joinpath(f"{split}.json").read_bytes())


def parse(text: bytes | str) -> tuple[Facts, ...]:
    """Facts from the text of a file; raises FaultyFactsError at the first false one."""
    try:
        found = msgspec.json.decode(text, type=tuple[Facts, ...])
    except (msgspec.ValidationError, msgspec.DecodeError) as fault:
        raise FaultyFactsError(str(fault)) from fault
    names = [facts.repository for facts in found]
    if len(set(names)) < len(names):
        raise FaultyFactsError(f"a repository stands there twice: {names}")
    for facts in found:
        _check(facts)
    return found


def plain_name(name: str) -> str:
    """A name without case and punctuation: ``Node.js`` is ``nodejs``; C, C++ and C# stay three."""
    return _NOT_IN_NAMES.sub("", name.casefold())


def plain_path(path: str) -> str:
    """A path as git writes it: no ``./`` before it, no slash behind it."""
    return path.strip().replace("\\", "/").removeprefix("./").rstrip("/")


def score(facts: Facts, stack: Sequence[Tech], entry_paths: Sequence[str], directories: Sequence[str]) -> Score:
    """What an analyser told of a repository beside its facts; paths count in the order they are told."""
    told: dict[str, list[Tech]] = {}
    for tech in stack:
        told.setdefault(plain_name(tech.name), []).append(tech)
    may = {name for known in facts.stack_may for name in _names(known)}
    categories = {
        known.name: {tech.category for name in _names(known) for tech in told.get(name, ())}
        for known in facts.stack_must
    }
    found = [known for known in facts.stack_must if categories[known.name]]
    misplaced = [known for known in found if known.category not in categories[known.name]]
    must = {name for known in found for name in _names(known)}
    wrong = [techs[0].name for name, techs in told.items() if name not in must and name not in may]
    missed_entries = _absent(facts.entry_points, _first(entry_paths, ENTRIES_READ))
    missed_directories = _absent(facts.directories, _first(directories, DIRECTORIES_READ))
    return Score(
        repository=facts.repository,
        stack_recall=Share(len(found), len(facts.stack_must)),
        stack_precision=Share(0, 0) if facts.is_of_starts else Share(len(told) - len(wrong), len(told)),
        categories=Share(len(found) - len(misplaced), len(found)),
        entry_recall=_recall(facts, entry_paths, ENTRIES_READ),
        entries_near=_recall(facts, entry_paths, ENTRIES_NEAR),
        entries_told=_recall(facts, entry_paths, ENTRIES_TOLD),
        directory_recall=Share(len(facts.directories) - len(missed_directories), len(facts.directories)),
        missed=tuple(known.name for known in facts.stack_must if not categories[known.name]),
        wrong=() if facts.is_of_starts else tuple(wrong),
        misplaced=tuple(f"{known.name} ({', '.join(sorted(categories[known.name]))})" for known in misplaced),
        repeated=tuple(techs[0].name for techs in told.values() if len(techs) > 1),
        missed_entries=missed_entries,
        missed_directories=missed_directories,
    )


def _recall(facts: Facts, entry_paths: Sequence[str], most: int) -> Share:
    absent = _absent(facts.entry_points, _first(entry_paths, most))
    return Share(len(facts.entry_points) - len(absent), len(facts.entry_points))


def absent_paths(facts: Facts, paths: Collection[str]) -> list[str]:
    """Paths that the facts name and a repository with these files lacks."""
    files = set(paths)
    folders = {path[:at] for path in files for at, letter in enumerate(path) if letter == "/"}
    wanted = [(known.evidence, files | folders) for known in facts.stack_must]
    wanted += [(path, files) for entry in facts.entry_points for path in (entry.path, *entry.also)]
    wanted += [(path, folders) for directory in facts.directories for path in (directory.path, *directory.also)]
    return [path for path, among in wanted if path not in among]


def _check(facts: Facts) -> None:
    if not _COMMIT.fullmatch(facts.commit):
        raise FaultyFactsError(f"{facts.repository}: {facts.commit!r} is no commit")
    sizes = {"entry_points": _SIZES["entry_points"]} if facts.is_of_starts else _SIZES
    for field, (least, most) in sizes.items():
        if not least <= len(getattr(facts, field)) <= most:
            raise FaultyFactsError(f"{facts.repository}: {least} to {most} {field} are wanted")
    stack: list[Technology | FurtherTechnology] = [*facts.stack_must, *facts.stack_may]
    _unique(facts, (name for known in stack for name in _names(known)))
    _unique(facts, (entry.path for entry in facts.entry_points))
    _unique(facts, (directory.path for directory in facts.directories))


def _unique(facts: Facts, values: Iterable[str]) -> None:
    seen: set[str] = set()
    for value in values:
        if not value or value in seen:
            raise FaultyFactsError(f"{facts.repository}: {value!r} is empty or stands there twice")
        seen.add(value)


def _names(known: Technology | FurtherTechnology) -> Iterator[str]:
    return map(plain_name, (known.name, *known.aliases))


def _first(paths: Sequence[str], most: int) -> frozenset[str]:
    return frozenset(list(dict.fromkeys(map(plain_path, paths)))[:most])


def _absent(known: Sequence[EntryPoint | Directory], told: frozenset[str]) -> tuple[str, ...]:
    return tuple(place.path for place in known if told.isdisjoint((place.path, *place.also)))


def _cell(share: Share) -> str:
    return f"{share.value:.3f} ({share.right}/{share.of})" if share.of else "-"


def _numbers(figures: dict[str, Share]) -> dict[str, Any]:
    return {name: {"value": share.value, "right": share.right, "of": share.of} for name, share in figures.items()}
