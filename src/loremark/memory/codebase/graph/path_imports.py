"""Resolves imports by path: C and C++ headers, Ruby's load path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from loremark.memory.codebase.graph.path_index import PathIndex, directory_of, joined, nearest

_HEADERS = (".h", ".hpp", ".hh", ".hxx", ".h++", ".ipp", ".inc", ".c", ".cc", ".cpp", ".cxx", ".m", ".mm", ".def")


class HeaderResolver:
    """Finds an included file next to the including one, else by path suffix."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._places = PathIndex(paths, _HEADERS)

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        is_system = target.startswith("<")
        target = target.strip("<>\"' ")
        beside = joined(directory_of(path), target)
        if beside in self._places.files and beside is not None and not is_system:
            return [beside]
        if is_system and "/" not in target:
            return []
        stem, _, ending = target.lstrip("./").rpartition(".")
        suffix = stem.replace(".", "/")
        found = [
            file
            for candidate in self._places.stems_ending_in(suffix)
            if (file := f"{candidate}.{ending}") in self._places.files
        ]
        best = nearest(found, path)
        return [best] if best is not None else []


class RubyResolver:
    """Finds a required file next to the requiring one, else under ``lib`` or by path suffix."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._places = PathIndex(paths, (".rb", ".rake", ".ru"))

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        target = target.strip().removesuffix(".rb")
        beside = joined(directory_of(path), target)
        if target.startswith("."):
            found = self._places.stems.get(beside or "")
            return [found] if found is not None else []
        roots = [
            stem for stem in self._places.stems_ending_in(target.replace(".", "/")) if _is_on_load_path(stem, target)
        ]
        best = nearest(roots, path)
        found = self._places.stems.get(best if best is not None else beside or "")
        return [found] if found is not None and (best is not None or "/" in target) else []


def _is_on_load_path(stem: str, target: str) -> bool:
    root = stem[: -len(target)].rstrip("/")
    return root in ("", "lib", "test", "spec") or root.endswith(("/lib", "/test", "/spec")) or root.startswith("app/")
