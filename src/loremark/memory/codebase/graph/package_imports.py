"""Resolves imports by package or namespace: Go, JVM languages, C#, PHP.

If a name has a prefix that is not a directory (Go module, PHP vendor, C# root namespace), the imports themselves tell
what it stands for: the prefix that resolves most of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from loremark.memory.codebase.graph.path_index import PathIndex, below, directory_of, nearest

_MAX_PARTS = 14
_MAX_PREFIX = 5


def _parts(target: str, separator: str) -> list[str]:
    return [part for part in target.strip(f"{separator}\"'; ").split(separator) if part][:_MAX_PARTS]


class GoResolver:
    """Finds the directory of a Go package by module name, or else by the most common import prefix."""

    def __init__(self, paths: Iterable[str], names: Mapping[str, str], targets: Iterable[str]) -> None:
        self._places = PathIndex(paths, (".go",))
        self._modules = {
            name: directory_of(path) for path, name in sorted(names.items()) if path.endswith("go.mod") and name
        }
        if not self._modules:
            guess = self._guess(targets)
            self._modules = {guess: ""} if guess else {}

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        parts = _parts(target, "/")
        for length in range(len(parts), 0, -1):
            base = self._modules.get("/".join(parts[:length]))
            if base is not None:
                directory = below(base, "/".join(parts[length:]))
                return [f"{directory}/"] if directory in self._places.directories else []
        return []

    def _guess(self, targets: Iterable[str]) -> str | None:
        votes: Counter[str] = Counter()
        for target in set(targets):
            parts = _parts(target, "/")
            for length in range(1, min(_MAX_PREFIX, len(parts) - 1) + 1):
                if "." in parts[0] and "/".join(parts[length:]) in self._places.directories:
                    votes["/".join(parts[:length])] += 1
        return min(votes, key=lambda prefix: (-votes[prefix], prefix)) if votes else None


class JavaResolver:
    """Finds the file of a class, or the directory for a wildcard import."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._places = PathIndex(paths, (".java", ".kt", ".scala", ".groovy"))

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        parts = _parts(target.removesuffix("*").removesuffix("_"), ".")
        # A constant or an inner class is in the file one or two levels up.
        for length in range(len(parts), max(1, len(parts) - 3), -1):
            found = self._places.ending_in("/".join(parts[:length]), path)
            if found is not None:
                return [found]
        if len(parts) >= 2:
            directory = nearest(self._places.directories_ending_in("/".join(parts)), path)
            return [f"{directory}/"] if directory is not None else []
        return []


class NamespaceResolver:
    """Resolves C# namespaces to directories and PHP classes to files; the root prefix is chosen by majority."""

    def __init__(self, paths: Iterable[str], endings: tuple[str, ...], separator: str, targets: Iterable[str]) -> None:
        self._places = PathIndex(paths, endings)
        self._separator = separator
        self._bases = self._vote(targets)

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        parts = _parts(target, self._separator)
        for length in range(min(_MAX_PREFIX, len(parts) - 1), -1, -1):
            prefix, rest = "/".join(parts[:length]).lower(), "/".join(parts[length:])
            bases = self._bases.get(prefix)
            found = [candidate for candidate, base in self._candidates(rest) if bases and base in bases]
            best = nearest(found, path)
            if best is not None:
                return [best]
        return []

    def _candidates(self, rest: str) -> list[tuple[str, str]]:
        """Files and directories that match the end of a name, each with its base directory."""
        length = len(rest) + 1
        found = [(f"{directory}/", directory[:-length]) for directory in self._places.directories_ending_in(rest)]
        found = found if self._separator == "." else []
        return [(self._places.stems[stem], stem[:-length]) for stem in self._places.stems_ending_in(rest)] + found

    def _vote(self, targets: Iterable[str]) -> dict[str, set[str]]:
        """Prefixes with their directories; each directory gets the prefix with the most votes."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        named: Counter[str] = Counter()
        for target in sorted(set(targets)):
            parts = _parts(target, self._separator)
            for length in range(min(_MAX_PREFIX, len(parts) - 1) + 1):
                prefix = "/".join(parts[:length]).lower()
                named[prefix] += 1
                for candidate, base in self._candidates("/".join(parts[length:])):
                    found[prefix, base].add(candidate)
        bases: dict[str, set[str]] = defaultdict(set)
        has_name: set[str] = set()
        for prefix, base in sorted(found, key=lambda pair: (-len(found[pair]), pair)):
            candidates = found[prefix, base]
            if base in has_name or (prefix and len(candidates) * 3 < named[prefix]):
                continue
            bases[prefix].add(base)
            has_name.add(base)
            for candidate in candidates:
                directory = directory_of(candidate)
                while directory not in has_name and len(directory) > len(base):
                    has_name.add(directory)
                    directory = directory_of(directory)
        return dict(bases)
