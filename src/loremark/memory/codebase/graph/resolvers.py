"""Picks the import resolver for each language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from loremark.memory.codebase.graph.javascript import JavaScriptResolver
from loremark.memory.codebase.graph.package_imports import GoResolver, JavaResolver, NamespaceResolver
from loremark.memory.codebase.graph.path_imports import HeaderResolver, RubyResolver
from loremark.memory.codebase.graph.python import PythonResolver
from loremark.memory.codebase.graph.rust import RustResolver
from loremark.memory.codebase.languages import language_of

_FAMILIES = {
    "python": "python",
    "javascript": "scripts",
    "typescript": "scripts",
    "tsx": "scripts",
    "vue": "scripts",
    "svelte": "scripts",
    "astro": "scripts",
    "go": "go",
    "rust": "rust",
    "java": "java",
    "kotlin": "java",
    "scala": "java",
    "groovy": "java",
    "csharp": "csharp",
    "razor": "csharp",
    "ruby": "ruby",
    "php": "php",
    "c": "headers",
    "cpp": "headers",
    "header": "headers",
    "objective-c": "headers",
}


class Resolver(Protocol):
    """Resolves the imports of a language family; directories in the results end in a slash."""

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]: ...


def family_of(path: str) -> str | None:
    return _FAMILIES.get(language_of(path) or "")


def resolvers(
    targets: Mapping[str, Iterable[str]], paths: Sequence[str], names: Mapping[str, str]
) -> dict[str, Resolver]:
    """One resolver per language family that has imports; ``targets`` are the imports by family."""
    made: dict[str, Resolver] = {}
    for family in sorted(targets):
        made[family] = _resolver(family, targets[family], paths, names)
    return made


def _resolver(family: str, targets: Iterable[str], paths: Sequence[str], names: Mapping[str, str]) -> Resolver:
    match family:
        case "python":
            return PythonResolver(paths)
        case "scripts":
            return JavaScriptResolver(paths, names)
        case "go":
            return GoResolver(paths, names, targets)
        case "rust":
            return RustResolver(paths, names)
        case "java":
            return JavaResolver(paths)
        case "csharp":
            return NamespaceResolver(paths, (".cs", ".cshtml", ".razor"), ".", targets)
        case "php":
            return NamespaceResolver(paths, (".php",), "\\", targets)
        case "ruby":
            return RubyResolver(paths)
        case _:
            return HeaderResolver(paths)
