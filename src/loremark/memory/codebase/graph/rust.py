"""Resolves Rust paths to modules of a crate or crates of the workspace."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from loremark.memory.codebase.graph.path_index import PathIndex, below, directory_of

_MAX_PARTS = 12
_CUT = re.compile(r"[^\w:]")
_ROOTS = ("lib.rs", "main.rs")


class RustResolver:
    """Finds the file of a path such as ``crate::a::b::C`` by its longest prefix that is a module."""

    def __init__(self, paths: Iterable[str], names: Mapping[str, str]) -> None:
        everything = list(paths)
        self._places = PathIndex(everything, (".rs",))
        self._crates: dict[str, str] = {}
        """Crate name to its source directory."""
        self._sources: set[str] = set()
        for path in sorted(everything):
            if path.rpartition("/")[2] == "Cargo.toml":
                home = directory_of(path)
                name = names.get(path) or home.rpartition("/")[2]
                self._crates.setdefault(name.replace("-", "_"), below(home, "src"))
                self._sources.add(below(home, "src"))

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        if target.startswith("mod "):
            return self._found(self._module(self._inside(path), [target[4:].strip()]))
        parts = [part for part in _CUT.split(target, maxsplit=1)[0].split("::") if part][:_MAX_PARTS]
        if not parts:
            return []
        base, rest = self._start(path, parts)
        if base is None:
            return []
        with_names = [self._module(base, [*rest, name], whole=True) for name in names if name.isidentifier()]
        modules = [file for file in with_names if file is not None]
        if len(modules) < max(1, len(names)):
            modules += self._found(self._module(base, rest) or self._root(base, rest))
        return modules

    def _start(self, path: str, parts: list[str]) -> tuple[str | None, list[str]]:
        """The directory where the path starts, and the rest of the path."""
        first, rest = parts[0], parts[1:]
        if first == "crate":
            return self._crate_of(path), rest
        if first in ("self", "super"):
            here = self._inside(path)
            while first == "super":
                here = directory_of(here)
                if not rest or rest[0] != "super":
                    break
                first, rest = rest[0], rest[1:]
            return here, rest
        if self._module(self._inside(path), [first]) is not None:
            return self._inside(path), parts
        return self._crates.get(first), rest

    def _inside(self, path: str) -> str:
        """The directory of a file's submodules."""
        directory, _, name = path.rpartition("/")
        return directory if name in (*_ROOTS, "mod.rs") else path.removesuffix(".rs")

    def _crate_of(self, path: str) -> str | None:
        directory = directory_of(path)
        while True:
            if directory in self._sources or any(below(directory, root) in self._places.files for root in _ROOTS):
                return directory
            if not directory:
                return None
            directory = directory_of(directory)

    def _module(self, base: str, parts: list[str], *, whole: bool = False) -> str | None:
        for length in range(len(parts), len(parts) - 1 if whole else 0, -1):
            stem = below(base, "/".join(parts[:length]))
            found = self._places.stems.get(stem) or self._places.stems.get(f"{stem}/mod")
            if found is not None:
                return found
        return None

    def _root(self, base: str, rest: list[str]) -> str | None:
        """Names without a module of their own are in the parent file: the crate root or the module itself."""
        candidates = (*(below(base, root) for root in _ROOTS), below(base, "mod.rs"), f"{base}.rs")
        return next((path for path in candidates if path in self._places.files), None)

    def _found(self, path: str | None) -> list[str]:
        return [path] if path is not None else []
