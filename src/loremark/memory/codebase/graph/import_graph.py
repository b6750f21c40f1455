"""Builds the import graph: edges, import counts and cycles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Literal

from loremark.memory.codebase.graph.cycles import shortest_cycles
from loremark.memory.codebase.graph.path_index import directory_of
from loremark.memory.codebase.graph.resolvers import Resolver, family_of, resolvers
from loremark.memory.codebase.records import Import
from loremark.memory.codebase.selection.file_kinds import is_example, is_test

_MAX_IMPORTS = 400
_MAX_HOPS = 3
# Namespace and default imports: the local name is mostly the file's name.
_UNNAMED = frozenset(("*", "default"))
_BARRELS = frozenset(
    ("__init__.py", "index.ts", "index.tsx", "index.js", "index.jsx", "index.mjs", "mod.rs", "lib.rs", "main.rs")
)


@dataclass(frozen=True, slots=True)
class ImportGraph:
    """The imports of a codebase.

    Go, C# and sometimes Java import packages, not files; the target is then a directory ending in ``/``.
    """

    edges: dict[str, tuple[str, ...]]
    """Each file with what it imports."""
    imported_by: dict[str, int]
    """How many files import each target, without tests, examples and packages that re-export their own files."""
    taken: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The same imports, without those that do not count."""

    def hubs(self, most: int) -> list[tuple[str, int]]:
        """What is imported most, by at least two files."""
        found = [(path, count) for path, count in self.imported_by.items() if count > 1 and not is_test(path)]
        return sorted(found, key=lambda item: (-item[1], item[0]))[:most]

    def between_directories(self, depth: int) -> dict[tuple[str, str], int]:
        """The number of imports between directories, with paths cut at ``depth``; tests do not count."""
        ends: defaultdict[str, list[str]] = defaultdict(list)
        cut = lru_cache(maxsize=None)(lambda path: _cut(path, depth))
        for path in self.taken:
            here = cut(path)
            ends[here] += [there for target in self.edges[path] if (there := cut(target)) != here]
        pairs = {(here, there): count for here in ends for there, count in Counter(ends[here]).items()}
        return dict(sorted(pairs.items(), key=lambda item: (-item[1], item[0])))

    def cycles(self, most: int, of: Literal["files", "directories"] = "files") -> list[tuple[str, ...]]:
        """Import cycles: the shortest one of each strongly connected component, the largest component first."""
        return shortest_cycles(self.taken if of == "files" else _between(self.taken), most)


def import_graph(
    imports: Mapping[str, Sequence[Import]], paths: Iterable[str], names: Mapping[str, str]
) -> ImportGraph:
    """Resolves the imports of all files; ``names`` maps manifests to package or module names."""
    written = {path: imports[path][:_MAX_IMPORTS] for path in sorted(imports)}
    edges = _resolved(written, tuple(paths), names)
    taken = _taken_by_own(edges)
    return ImportGraph(edges, _counted(taken), taken)


def import_counts(imports: Mapping[str, Sequence[str]], paths: Iterable[str]) -> dict[str, int]:
    """How many files import each file, from quick imports; a package import is split among its files."""
    written = {path: [Import(target, 0) for target in imports[path][:_MAX_IMPORTS]] for path in sorted(imports)}
    everything = tuple(paths)
    edges = _resolved(written, everything, {})
    counted = _counted(_taken_by_own({path: _without_packages(targets) for path, targets in edges.items()}))
    files_in = Counter(directory_of(path) for path in everything if not is_test(path))
    found = {path: count for path, count in counted.items() if not path.endswith("/")}
    for path in everything:
        whole = counted.get(f"{directory_of(path)}/")
        if whole and not is_test(path):
            found[path] = found.get(path, 0) + max(1, whole // files_in[directory_of(path)])
    return dict(sorted(found.items()))


def _resolved(
    written: Mapping[str, Sequence[Import]], paths: Sequence[str], names: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    families = {path: family for path in written if (family := family_of(path)) is not None}
    rows: defaultdict[str, list[Sequence[Import]]] = defaultdict(list)
    for path, family in families.items():
        rows[family].append(written[path])
    by_family = resolvers({family: _targets(some) for family, some in rows.items()}, paths, names)
    passed_on = _PassedOn(written)
    edges: dict[str, tuple[str, ...]] = {}
    for path, family in families.items():
        resolver = by_family[family]
        found: dict[str, None] = {}
        for row in written[path]:
            for file in resolver.resolve(path, row.target, row.names):
                if row.names and file.rpartition("/")[2] in _BARRELS:
                    found.update(dict.fromkeys(passed_on.origins(file, row.names, resolver)))
                else:
                    found[file] = None
        found.pop(path, None)
        found.pop(f"{directory_of(path)}/", None)
        if found:
            edges[path] = tuple(found)
    return edges


def _targets(rows: Iterable[Sequence[Import]]) -> Iterator[str]:
    return (found.target for some in rows for found in some)


class _PassedOn:
    """Follows re-exported names to the files that define them."""

    def __init__(self, written: Mapping[str, Sequence[Import]]) -> None:
        self._written = written
        self._known: dict[str, dict[str, str]] = {}

    def origins(self, file: str, names: Sequence[str], resolver: Resolver) -> list[str]:
        """The file itself if it defines the name."""
        found: dict[str, None] = {}
        for name in names:
            at = file
            for _ in range(_MAX_HOPS):
                further = self._table(at, resolver).get(name) if at.rpartition("/")[2] in _BARRELS else None
                if further is None or further == at:
                    break
                at = further
            found[at] = None
        return list(found)

    def _table(self, file: str, resolver: Resolver) -> dict[str, str]:
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = {}
            for row in self._written.get(file, ()):
                for name in row.names:
                    origin = resolver.resolve(file, row.target, (name,))
                    if origin and not _taken(file, origin[:1]):
                        known.setdefault(_stem(origin[0]) if name in _UNNAMED else name, origin[0])
        return known


def _without_packages(targets: Sequence[str]) -> list[str]:
    """Quick imports list ``from a import b`` as a and a.b; if a.b is a file, drops the package a."""
    directories = {directory_of(target) for target in targets if not target.endswith("/__init__.py")}
    directories |= {directory_of(directory_of(target)) for target in targets if target.endswith("/__init__.py")}
    return [
        target for target in targets if not (target.endswith("/__init__.py") and directory_of(target) in directories)
    ]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0]


def _counted(taken: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return dict(sorted(Counter(chain.from_iterable(taken.values())).items()))


def _taken_by_own(edges: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """What each file imports, without tests and examples."""
    return {
        path: _taken(path, targets) for path, targets in edges.items() if not is_test(path) and not is_example(path)
    }


def _between(taken: Mapping[str, Sequence[str]]) -> dict[str, set[str]]:
    """The directories that each directory imports from."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for path, targets in taken.items():
        start = directory_of(path)
        found[start].update(end for target in targets if (end := directory_of(target)) != start)
    return found


def _taken(path: str, targets: Sequence[str]) -> Sequence[str]:
    """The targets without those that a package or index file imports from below only to re-export them."""
    directory, _, name = path.rpartition("/")
    if name in _BARRELS:
        below = f"{directory}/" if directory else ""
    elif path.endswith(".rs"):
        below = f"{path[:-3]}/"  # Rust 2018 layout: a.rs is the module of a/
    else:
        return targets
    return [target for target in targets if not target.startswith(below)]


def _cut(path: str, depth: int) -> str:
    """The first directories of a path."""
    return "/".join(path.split("/", depth)[:-1])
