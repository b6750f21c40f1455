"""Python: modules by their dotted names, from the roots that packages, projects and scripts make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cairn.memory.codebase.graph.places import Places, below, directory_of, joined, nearest

_MAX_TARGET = 300


class Python:
    """Finds the file of a module: from the importer's own roots first, then from any other."""

    def __init__(self, paths: Iterable[str]) -> None:
        everything = list(paths)
        self._places = Places(everything, (".py", ".pyi"))
        self._packages = {directory_of(path) for path in self._places.paths if path.endswith("/__init__.py")}
        projects = {
            directory_of(path) for path in everything if path.endswith(("pyproject.toml", "setup.py", "manage.py"))
        }
        self._projects = projects | {below(project, "src") for project in projects} | {"", "src", "lib"}
        self._roots: dict[str, tuple[str, ...]] = {}
        self._modules: dict[str, list[str]] = {}
        """Dotted name to files, whatever the root."""
        for path in self._places.paths:
            for root in self.roots(path):
                module = _module(path, root)
                known = self._modules.setdefault(module, [])
                if module and path not in known and len(known) < 8:
                    known.append(path)
        self._tops = frozenset(module.partition(".")[0] for module in self._modules)

    def roots(self, path: str) -> tuple[str, ...]:
        """Where imports of a file start: above its outermost package, at the projects it lies in, beside it."""
        directory = directory_of(path)
        known = self._roots.get(directory)
        if known is not None:
            return known
        top = directory
        while top in self._packages:
            top = directory_of(top)
        roots = [top]
        above = directory
        while above:
            above = directory_of(above)
            if above in self._projects:
                roots.append(above)
        self._roots[directory] = found = tuple(dict.fromkeys(roots))
        return found

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]:
        target = target.strip()[:_MAX_TARGET]
        dotted = target.lstrip(".")
        relative = len(target) - len(dotted)
        if not relative and dotted.partition(".")[0] not in self._tops:
            return []
        if relative:
            base = directory_of(path) if relative == 1 else joined(directory_of(path), "../" * (relative - 1))
            found = None if base is None else self._at(base, dotted)
            around = "" if base is None else below(base, dotted.replace(".", "/"))
            inside = [] if base is None else [self._at(around, name) for name in names]
        else:
            found = self._anywhere(path, dotted)
            inside = [self._anywhere(path, f"{dotted}.{name}") for name in names]
        modules = [file for file in inside if file is not None]
        # A package is imported itself only if something else than its modules is taken from it.
        if found is not None and (not modules or len(modules) < len(inside)):
            modules.append(found)
        return modules

    def _at(self, directory: str, dotted: str) -> str | None:
        stem = below(directory, dotted.replace(".", "/"))
        module = self._places.stems.get(stem) if dotted else None
        return module or self._places.stems.get(below(stem, "__init__"))

    def _anywhere(self, path: str, dotted: str) -> str | None:
        known = self._modules.get(dotted)
        if not known:
            return None
        return known[0] if len(known) == 1 else nearest(known, path)


def _module(path: str, root: str) -> str:
    relative = path[len(root) + 1 :] if root else path
    return relative.rpartition(".")[0].removesuffix("/__init__").replace("/", ".")
