"""Resolves JavaScript and TypeScript imports: relative paths, path aliases, workspace packages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from loremark.memory.codebase.graph.path_index import PathIndex, below, directory_of, joined

_ENDINGS = (
    ".ts",
    ".tsx",
    ".mts",
    ".cts",
    ".vue",
    ".svelte",
    ".astro",
    ".js",
    ".jsx",
    ".mjs",
    ".cjs",
    ".d.ts",
    ".d.mts",
)
_WRITTEN = (".js", ".jsx", ".mjs", ".cjs")
_ALIASES = ("@/", "~/", "@@/", "~~/", "#/", "$/", "/")
_MAX_TARGET = 300
_MAINS = ("src/index", "src/main", "src/lib", "index", "lib/index", "src", "lib", "main")


class JavaScriptResolver:
    """Finds the file of a module specifier."""

    def __init__(self, paths: Iterable[str], names: Mapping[str, str]) -> None:
        everything = list(paths)
        self._places = PathIndex(everything, tuple(sorted(_ENDINGS, key=len, reverse=True)))
        self._stems: dict[str, str] = {}
        for path in sorted(self._places.paths, key=_preference):
            self._stems.setdefault(_without_ending(path), path)
        self._projects = {directory_of(path) for path in everything if path.endswith(("package.json", "jsconfig.json"))}
        self._projects |= {directory_of(path) for path in everything if path.endswith("tsconfig.json")}
        self._packages = {
            name: directory_of(path) for path, name in sorted(names.items()) if name and path.endswith("package.json")
        }
        self._project_of: dict[str, tuple[str, ...]] = {}

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        target = target.split("?", 1)[0].split("#", 1)[0][:_MAX_TARGET] if not target.startswith("#") else target
        if target.startswith("."):
            base = joined(directory_of(path), target)
            found = None if base is None else self._file(base)
        else:
            found = self._of_package(target) or self._of_alias(path, target)
        return [found] if found is not None else []

    def _file(self, base: str) -> str | None:
        if base in self._places.files:
            return base
        found = self._stems.get(base)
        if found is None and base.endswith(_WRITTEN):
            found = self._stems.get(base.rpartition(".")[0])  # TypeScript imports use the name of the compiled file
        return found or self._stems.get(below(base, "index"))

    def _of_package(self, target: str) -> str | None:
        parts = target.split("/")
        name = "/".join(parts[: 2 if target.startswith("@") else 1])
        directory = self._packages.get(name)
        if directory is None:
            return None
        rest = target[len(name) + 1 :]
        if rest:
            return self._file(below(directory, rest)) or self._file(below(directory, f"src/{rest}"))
        mains = (self._file(below(directory, main)) for main in _MAINS)
        return next((main for main in mains if main is not None), None)

    def _of_alias(self, path: str, target: str) -> str | None:
        rest = next((target[len(alias) :] for alias in _ALIASES if target.startswith(alias)), None)
        tries: list[str]
        if rest is not None:
            tries = [f"src/{rest}", rest, f"app/{rest}", f"resources/js/{rest}"]
        elif target.startswith("$lib"):
            tries = [f"src/lib{target[4:]}"]
        elif "/" in target and target[0] in "@#~":
            tries = [f"src/{target[1:]}", target[1:]]
        elif "/" in target:
            tries = [target, f"src/{target}"]
        else:
            return None
        for project in self._projects_of(directory_of(path)):
            for relative in tries:
                base = joined(project, relative)
                found = None if base is None else self._file(base)
                if found is not None:
                    return found
        return None

    def _projects_of(self, directory: str) -> tuple[str, ...]:
        """The projects that contain a directory, the nearest first, and the root."""
        known = self._project_of.get(directory)
        if known is None:
            found = [directory] if directory in self._projects else []
            above = directory
            while above:
                above = directory_of(above)
                if above in self._projects:
                    found.append(above)
            known = self._project_of[directory] = tuple(dict.fromkeys((*found[:4], "")))
        return known


def _without_ending(path: str) -> str:
    return path[: -len(next(ending for ending in sorted(_ENDINGS, key=len, reverse=True) if path.endswith(ending)))]


def _preference(path: str) -> tuple[int, str]:
    stem = _without_ending(path)
    return _ENDINGS.index(path[len(stem) :]), path
