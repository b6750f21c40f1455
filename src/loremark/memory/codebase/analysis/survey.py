"""Views of the codebase that several layers share."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.graph.import_graph import ImportGraph, import_graph
from loremark.memory.codebase.layout import Directory, main_directories
from loremark.memory.codebase.records import Codebase, Dependency, Entry, EntryKind, FileFacts, Model, Tech
from loremark.memory.codebase.stack.tech_stack import packages, tech_stack


@dataclass(frozen=True)
class Survey:
    """A codebase with cached views that several layers use."""

    codebase: Codebase

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(self.codebase.paths) | frozenset(self.codebase.files)

    @cached_property
    def ordered_paths(self) -> list[str]:
        return sorted(self.paths)

    @cached_property
    def _own(self) -> list[tuple[str, FileFacts]]:
        """The project's own files that were read, by path."""
        files = self.codebase.files
        return [(path, files[path]) for path in sorted(files) if path_role(path) == "own"]

    @cached_property
    def sources(self) -> dict[str, FileFacts]:
        """The project's own code, without tests, examples and generated files."""
        return {path: facts for path, facts in self._own if facts.language in CODE and "written-by" not in facts.signs}

    def inside(self, directory: str) -> dict[str, FileFacts]:
        """The sources below a directory."""
        first, end = (bisect_left(self._in_order, f"{directory}{mark}") for mark in "/0")
        return dict(self._rows[first:end])

    @cached_property
    def _in_order(self) -> list[str]:
        return list(self.sources)

    @cached_property
    def _rows(self) -> list[tuple[str, FileFacts]]:
        return list(self.sources.items())

    @cached_property
    def classes(self) -> dict[str, list[str]]:
        """The classes of each source that has any."""
        rows = ((path, _classes(facts)) for path, facts in self.sources.items())
        return {path: names for path, names in rows if names}

    @cached_property
    def tests(self) -> dict[str, FileFacts]:
        return {
            path: facts
            for path, facts in sorted(self.codebase.files.items())
            if facts.language in CODE and path_role(path) == "test"
        }

    @cached_property
    def lines(self) -> int:
        return sum(facts.lines for facts in self.sources.values())

    @cached_property
    def languages(self) -> list[tuple[str, int]]:
        """Languages of the project's own code by lines, the largest first."""
        count: Counter[str] = Counter()
        for facts in self.sources.values():
            count[facts.language or ""] += facts.lines
        return sorted(count.items(), key=lambda row: (-row[1], row[0]))

    @cached_property
    def stack(self) -> tuple[Tech, ...]:
        return tech_stack(self.codebase)

    @cached_property
    def packages(self) -> tuple[Dependency, ...]:
        return packages(self.codebase)

    @cached_property
    def directories(self) -> list[Directory]:
        return main_directories(self.codebase)

    @cached_property
    def largest_directories(self) -> list[Directory]:
        """The main directories sorted by how much of the project's own code they contain, without empty ones."""
        lines: Counter[str] = Counter()
        for row in self.directories:
            lines[row.path] = sum(facts.lines for facts in self.inside(row.path).values())
        rows = [row for row in self.directories if lines[row.path] and not row.path.startswith(".")]
        return sorted(rows, key=lambda row: (-lines[row.path], row.path))

    @cached_property
    def graph(self) -> ImportGraph:
        names = {path: facts.signs["name"] for path, facts in self.manifests if "name" in facts.signs}
        imports = {path: facts.imports for path, facts in self.sources.items() if facts.imports}
        return import_graph(imports, self.ordered_paths, names)

    @cached_property
    def manifests(self) -> list[tuple[str, FileFacts]]:
        """Manifests, the outermost first, without examples and tests."""
        rows = [row for row in self._own if row[1].dependencies or "name" in row[1].signs]
        return sorted(rows, key=lambda row: (row[0].count("/"), row[0]))

    def with_sign(self, key: str) -> list[tuple[str, str]]:
        """Path and value of a sign in the project's own files, the outermost first."""
        return sorted(self._by_sign.get(key, ()), key=lambda row: (row[0].count("/"), row[0]))

    @cached_property
    def _by_sign(self) -> dict[str, list[tuple[str, str]]]:
        """Path and value of every sign in the project's own files."""
        found: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
        for path, facts in self._own:
            for key, value in facts.signs.items():
                found[key].append((path, value))
        return found

    def entries(self, *kinds: EntryKind) -> Iterator[tuple[str, Entry]]:
        """The entry points in the project's own files."""
        for path, facts in self._own:
            if facts.entries:
                yield from ((path, entry) for entry in facts.entries if entry.kind in kinds)

    def models(self) -> Iterator[tuple[str, Model]]:
        for path, facts in self._own:
            if facts.models:
                yield from ((path, model) for model in facts.models)


def _classes(facts: FileFacts) -> list[str]:
    return [symbol.name for symbol in facts.symbols if symbol.kind == "class"]
