"""Indexes files by path, stem, directory and suffix to look up import targets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

_MAX_SEGMENTS = 12
_MAX_SAME = 8


def directory_of(path: str) -> str:
    return path.rpartition("/")[0]


def joined(directory: str, relative: str) -> str | None:
    """Joins a relative path to a directory; None if it leads out of the tree."""
    parts = directory.split("/") if directory else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def below(directory: str, relative: str) -> str:
    return f"{directory}/{relative}" if directory and relative else directory or relative


def all_above(names: Iterable[str], mark: str) -> set[str]:
    """All parents of the names: ``a/b`` and ``a`` for ``a/b/c``."""
    found: set[str] = set()
    for name in names:
        above = name.rpartition(mark)[0]
        while above and above not in found:
            found.add(above)
            above = above.rpartition(mark)[0]
    return found


class PathIndex:
    """The files of one language family, indexed by path, stem, directory and suffix."""

    def __init__(self, paths: Iterable[str], endings: tuple[str, ...]) -> None:
        """``endings`` are in order of preference, for stems with several."""
        self.paths = sorted(path for path in paths if path.endswith(endings))
        self.files = frozenset(self.paths)
        rank = {ending: at for at, ending in enumerate(endings)}
        self.stems: dict[str, str] = {}
        self.directories: dict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            self.directories[directory_of(path)].append(path)
            stem = _without_ending(path, endings)
            best = self.stems.get(stem)
            if best is None or rank.get(path[len(stem) :], 99) < rank.get(best[len(stem) :], 99):
                self.stems[stem] = path

    @cached_property
    def _stems_by_suffix(self) -> dict[str, list[str]]:
        return _by_suffix(self.stems)

    @cached_property
    def _directories_by_suffix(self) -> dict[str, list[str]]:
        return _by_suffix(directory for directory in self.directories if directory)

    def ending_in(self, suffix: str, near: str) -> str | None:
        """The file whose path without extension has this suffix; of several, the one closest to ``near``."""
        stem = nearest(self._stems_by_suffix.get(suffix.lower(), ()), near)
        return self.stems[stem] if stem is not None else None

    def stems_ending_in(self, suffix: str) -> list[str]:
        return self._stems_by_suffix.get(suffix.lower(), [])

    def directories_ending_in(self, suffix: str) -> list[str]:
        """Directories with this suffix that directly contain files; dots in names count as slashes."""
        return self._directories_by_suffix.get(suffix.lower(), [])


def _without_ending(path: str, endings: tuple[str, ...]) -> str:
    for ending in endings:
        if path.endswith(ending):
            return path[: -len(ending)]
    return path


def _by_suffix(paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths by their last one, two, three… parts; of many with the same suffix, only the first few are kept."""
    found: dict[str, list[str]] = defaultdict(list)
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        parts = path.lower().replace(".", "/").split("/") if "." in path else path.lower().split("/")
        suffix = ""
        for part in reversed(parts[-_MAX_SEGMENTS:]):
            suffix = f"{part}/{suffix}" if suffix else part
            same = found[suffix]
            if len(same) < _MAX_SAME:
                same.append(path)
    return found


def nearest(paths: Iterable[str], near: str) -> str | None:
    """The path with the longest common prefix with ``near``; the first if several tie."""
    best: str | None = None
    most = -1
    parts = near.split("/")
    for path in paths:
        shared = 0
        for mine, theirs in zip(parts, path.split("/"), strict=False):
            if mine != theirs:
                break
            shared += 1
        if shared > most:
            best, most = path, shared
    return best
