"""Collects and ranks entry point candidates so that no group crowds out the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.records import Codebase, Entry

Group = Literal[
    "program", "console", "server", "table", "controller", "browser", "library", "options", "onward", "command",
    "job", "script", "plugin", "build", "schema", "settings", "core",
]  # fmt: skip
# How much each further candidate of a group is discounted.
_SLOPE: dict[Group, float] = {
    "program": 4, "console": 6, "server": 7, "table": 5, "controller": 5, "browser": 8, "library": 9, "options": 7,
    "onward": 4, "command": 6, "job": 9, "script": 7, "plugin": 9, "build": 14, "schema": 12,
    "settings": 14, "core": 4,
}  # fmt: skip
# For these groups the first few are enough; further ones are discounted even more.
_CROWDS: dict[Group, float] = {"library": 6, "controller": 3, "table": 1, "command": 4, "script": 5}
_FEW = 3.0
# Tables and controllers are both routes, so they share one discount.
_ROUTES: tuple[Group, ...] = ("table", "controller")
_OF_ALL = 0.6
_BESIDE_ANOTHER = {"table": 3.0, "controller": 3.0, "browser": 2.0, "script": 2.0}
_LIKE_OTHERS, _MANY = 2.0, 3
"""Route files with the same name are discounted after the first few."""
_MIN = 8.0
_BY_ITSELF = 50.0
"""Candidates above this weight are listed regardless of their group's size, if there is room."""
_ENOUGH = 15
_A_STEP = 2.5
_MAX_STEPS = 6
_OF_ITS_PROJECT = 10.0
_FIRST_OF_PROJECT = 0.6
_ADDED = 10.0
"""The deduction for files that extend a program, such as plugins."""
ADDITION = re.compile(
    r"(?:^|/)(?:[Pp]lugins|[Aa]dd-?ons|[Ee]xtensions|[Pp]roviders|[Ii]ntegrations|[Cc]onnectors)/[^/]+/"
)
_HOLDERS = frozenset(
    [
        "src",
        "lib",
        "app",
        "apps",
        "packages",
        "crates",
        "cmd",
        "services",
        "main",
        "source",
        "sources",
        "java",
        "kotlin",
        "scala",
        "web",
        "server",
        "backend",
        "frontend",
        "client",
        "resources",
        "js",
        "internal",
        "pkg",
        "projects",
        "bin",
        "script",
        "exe",
    ]
)
_PACKAGES = frozenset(("java", "kotlin", "scala", "groovy"))
_USUAL_PACKAGE_DEPTH = 3


@dataclass(frozen=True, slots=True)
class EntryCandidate:
    """A possible entry point; a higher weight ranks it earlier."""

    path: str
    entry: Entry
    group: Group
    weight: float


@dataclass(slots=True)
class EntryCandidates:
    """Entry point candidates; the heaviest per file counts."""

    projects: Mapping[str, float]
    """The share of the code per project directory."""
    _found: dict[str, EntryCandidate] = field(default_factory=dict)
    _added: frozenset[str] = frozenset()
    _homes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._added = frozenset(project_of for project_of in self.projects if ADDITION.search(f"{project_of}/"))

    def add(self, path: str, entry: Entry, group: Group, weight: float) -> None:
        home = self.home(path)
        weight -= _ADDED if home in self._added else 0.0
        weight += _OF_ITS_PROJECT * self.projects.get(home, 0.0) - _A_STEP * min(_MAX_STEPS, directory_depth(path))
        before = self._found.get(path)
        if before is None or weight > before.weight:
            # A name from the source is more specific than the name of a pattern.
            is_named = before is not None and before.entry.line > 1 and entry.line <= 1 and entry.kind != "cli"
            self._found[path] = EntryCandidate(path, before.entry if before and is_named else entry, group, weight)

    def raise_weight(self, path: str, by: float) -> None:
        """Raises an existing candidate because of additional evidence."""
        candidate = self._found.get(path)
        if candidate is not None:
            self._found[path] = EntryCandidate(path, candidate.entry, candidate.group, candidate.weight + by)

    def group(self, path: str) -> Group | None:
        candidate = self._found.get(path)
        return candidate.group if candidate is not None else None

    def __contains__(self, path: str) -> bool:
        return path in self._found

    def in_groups(self, *groups: Group) -> list[EntryCandidate]:
        """The candidates of some groups, the heaviest first."""
        rows = [candidate for candidate in self._found.values() if candidate.group in groups]
        return sorted(rows, key=lambda candidate: (-candidate.weight, candidate.path))

    def home(self, path: str) -> str:
        """The directory of the nearest project around a file."""
        above = path.rpartition("/")[0]
        known = self._homes.get(above)
        if known is None:
            known = above
            while known and known not in self.projects:
                known = known.rpartition("/")[0]
            self._homes[above] = known
        return known

    def share(self, path: str) -> float:
        return self.projects.get(self.home(path), 0.0)

    def ranked(self, most: int) -> list[EntryCandidate]:
        """The heaviest first; each further one of a group counts less, and less again beside one from its directory."""
        waiting: dict[tuple[Group, str], list[EntryCandidate]] = {}
        for candidate in sorted(self._found.values(), key=lambda candidate: (-candidate.weight, candidate.path)):
            waiting.setdefault((candidate.group, candidate.path.rpartition("/")[0]), []).append(candidate)
        for rows in waiting.values():
            rows.reverse()
        chosen: list[EntryCandidate] = []
        groups: Counter[Group] = Counter()
        # Extensions do not get the bonus for the first candidate of a project.
        homes = set(self._added)
        started = set(self._added)
        routes: Counter[str] = Counter()
        places: Counter[tuple[Group, str]] = Counter()
        names: Counter[tuple[Group, str]] = Counter()

        def worth(key: tuple[Group, str]) -> tuple[float, str]:
            candidate = waiting[key][-1]
            group = key[0]
            home = self.home(candidate.path)
            if group in _ROUTES:
                taken = (
                    _OF_ALL * sum(groups[one] for one in _ROUTES)
                    + (1 - _OF_ALL) * routes["" if home in self._added else home]
                )
            else:
                taken = float(groups[group])
            # The first candidate of a project represents all of it.
            taken *= _FIRST_OF_PROJECT if home not in (started if group == "program" else homes) else 1.0
            cost = _SLOPE[group] * taken + _CROWDS.get(group, 0.0) * max(0.0, taken - _FEW)
            cost += _BESIDE_ANOTHER.get(group, 0.0) * places[key]
            if group in _ROUTES:
                cost += _LIKE_OTHERS * max(0, names[group, candidate.path.rpartition("/")[2]] - _MANY)
            return cost - candidate.weight, candidate.path

        while waiting and len(chosen) < most:
            key = min(waiting, key=worth)
            least = _BY_ITSELF if len(chosen) >= _ENOUGH else _MIN
            if -worth(key)[0] < _MIN and waiting[key][-1].weight < least:
                # No candidate ranks higher and costs never fall, so the lighter ones can be dropped.
                waiting = {one: rows for one, rows in waiting.items() if rows[-1].weight >= least}
                continue
            chosen.append(waiting[key].pop())
            home = self.home(chosen[-1].path)
            homes.add(home)
            if key[0] == "program":
                started.add(home)
            if key[0] in _ROUTES:
                routes.update({home, ""})
            groups[key[0]] += 1
            places[key] += 1
            names[key[0], chosen[-1].path.rpartition("/")[2]] += 1
            if not waiting[key]:
                del waiting[key]
        return chosen


@lru_cache(maxsize=16_384)
def directory_depth(path: str) -> int:
    """Directory depth of a path, not counting container directories and package roots."""
    parts = path.lower().split("/")[:-1]
    root = next((place for place, part in enumerate(parts) if part in _PACKAGES), None)
    inside = max(0, len(parts) - root - 1 - _USUAL_PACKAGE_DEPTH) if root is not None else 0
    return inside + sum(part not in _HOLDERS for part in parts[:root])


def projects_of(codebase: Codebase) -> dict[str, float]:
    """Directories with a manifest and the share of the code that belongs to each."""
    roots = {""} | {
        path.rpartition("/")[0]
        for path, facts in codebase.files.items()
        if facts.language not in CODE and ("name" in facts.signs or _PROJECT.search(path)) and path_role(path) == "own"
    }
    inside: Counter[str] = Counter()
    for path, facts in codebase.files.items():
        if facts.language in CODE and path_role(path) == "own":
            inside[path.rpartition("/")[0]] += facts.lines
    lines: Counter[str] = Counter()
    for directory, count in inside.items():
        while directory not in roots:
            directory = directory.rpartition("/")[0]
        lines[directory] += count
    whole = max(1, lines.total())
    return {root: lines[root] / whole for root in sorted(roots)}


_PROJECT = re.compile(r"(?:^|/)(?:package\.json|go\.mod|Cargo\.toml|pom\.xml|pyproject\.toml)$|\.(?:cs|fs)proj$")
