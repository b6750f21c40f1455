"""Resolves Python imports by dotted module name, relative to package, project and script roots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from loremark.memory.codebase.graph.path_index import PathIndex, all_above, below, directory_of, nearest

_MAX_TARGET = 300
_MAX_SAME = 8


class PythonResolver:
    """Finds the file of a module, searching the importer's own roots first."""

    def __init__(self, paths: Iterable[str]) -> None:
        everything = list(paths)
        self._places = PathIndex(everything, (".py", ".pyi"))
        self._packages = {directory_of(path) for path in self._places.paths if path.endswith("/__init__.py")}
        projects = {
            directory_of(path) for path in everything if path.endswith(("pyproject.toml", "setup.py", "manage.py"))
        }
        self._projects = projects | {below(project, "src") for project in projects} | {"", "src", "lib"}
        self._modules = self._by_name()
        self._tops = frozenset(module.partition(".")[0] for module in self._modules)
        self._holders = {"", *all_above(self._places.stems, "/")}
        self._named_holders = {"", *all_above(self._modules, ".")}
        """Paths and dotted names that contain modules; nothing else is searched."""
        self._from_directories: dict[tuple[str, str], tuple[str | None, str | None]] = {}

    def _by_name(self) -> dict[str, list[str]]:
        """Dotted names to files, for any root."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        fronts = {directory: self._fronts(directory) for directory in self._places.directories}
        for path in self._places.paths:
            directory, _, file = path.rpartition("/")
            stem = file.rpartition(".")[0]
            for front in fronts[directory]:
                module = front[:-1] if front and stem == "__init__" else f"{front}{stem}"
                known = found[module]
                if module and len(known) < _MAX_SAME and path not in known:
                    known.append(path)
        return dict(found)

    def _fronts(self, directory: str) -> list[str]:
        """The dotted prefixes of a directory's modules, one per root."""
        inside = (directory[len(root) + 1 :] if root else directory for root in self._roots(directory))
        return [f"{way.replace('/', '.')}." if way else "" for way in inside]

    def _roots(self, directory: str) -> tuple[str, ...]:
        """The import roots of its files: above the outermost package, the enclosing projects, and their siblings."""
        top = directory
        while top in self._packages:
            top = directory_of(top)
        roots = [top]
        above = directory
        while above:
            above = directory_of(above)
            if above in self._projects:
                roots.append(above)
        return tuple(dict.fromkeys(roots))

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        target = target.strip()[:_MAX_TARGET]
        if target.startswith("."):
            found, modules = self._from_here(directory_of(path), target, names)
        elif target.partition(".")[0] in self._tops:
            found, modules = self._from_roots(path, target, names)
        else:
            return []
        # The package itself counts only if something other than its modules is imported from it.
        if found is not None and (not modules or len(modules) < len(names)):
            modules.append(found)
        return modules

    def _from_here(self, directory: str, target: str, names: Sequence[str]) -> tuple[str | None, list[str]]:
        """The target of a relative import, and the modules it imports from there."""
        known = self._from_directories.get((directory, target))
        if known is None:
            known = self._from_directories[directory, target] = self._from_directory(directory, target)
        found, holder = known
        if not names or holder is None:
            return found, []
        inside = [self._at(below(holder, name.replace(".", "/"))) for name in names]
        return found, [file for file in inside if file is not None]

    def _from_directory(self, directory: str, target: str) -> tuple[str | None, str | None]:
        """The target of a relative import for all files of a directory, and its path if it contains modules."""
        dotted = target.lstrip(".")
        ups = len(target) - len(dotted) - 1
        if ups and directory.count("/") + bool(directory) < ups:
            return None, None
        base = "/".join(directory.split("/")[:-ups]) if ups else directory
        around = below(base, dotted.replace(".", "/"))
        found = self._at(around) if dotted else self._places.stems.get(below(around, "__init__"))
        return found, around if around in self._holders else None

    def _from_roots(self, path: str, dotted: str, names: Sequence[str]) -> tuple[str | None, list[str]]:
        """The same for an absolute import."""
        found = self._anywhere(path, dotted)
        if not names or dotted not in self._named_holders:
            return found, []
        inside = [self._anywhere(path, f"{dotted}.{name}") for name in names]
        return found, [file for file in inside if file is not None]

    def _at(self, stem: str) -> str | None:
        """The module or package of that name."""
        return self._places.stems.get(stem) or self._places.stems.get(f"{stem}/__init__")

    def _anywhere(self, path: str, dotted: str) -> str | None:
        known = self._modules.get(dotted)
        if not known:
            return None
        return known[0] if len(known) == 1 else nearest(known, path)
