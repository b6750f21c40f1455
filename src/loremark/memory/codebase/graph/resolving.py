"""From what a file imports to the files of the codebase it means, by the file's language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from loremark.memory.codebase.graph.files import Headers, Ruby
from loremark.memory.codebase.graph.packages import Go, Java, Named
from loremark.memory.codebase.graph.python import Python
from loremark.memory.codebase.graph.rust import Rust
from loremark.memory.codebase.graph.scripts import Scripts
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
    """A family of languages; a directory in its answers ends in a slash."""

    def resolve(self, path: str, target: str, names: Sequence[str]) -> list[str]: ...


def family_of(path: str) -> str | None:
    return _FAMILIES.get(language_of(path) or "")


def resolvers(
    targets: Mapping[str, Iterable[str]], paths: Sequence[str], names: Mapping[str, str]
) -> dict[str, Resolver]:
    """A resolver for each family that imports something; ``targets`` are the imports by family: few look at them."""
    made: dict[str, Resolver] = {}
    for family in sorted(targets):
        made[family] = _resolver(family, targets[family], paths, names)
    return made


def _resolver(family: str, targets: Iterable[str], paths: Sequence[str], names: Mapping[str, str]) -> Resolver:
    match family:
        case "python":
            return Python(paths)
        case "scripts":
            return Scripts(paths, names)
        case "go":
            return Go(paths, names, targets)
        case "rust":
            return Rust(paths, names)
        case "java":
            return Java(paths)
        case "csharp":
            return Named(paths, (".cs", ".cshtml", ".razor"), ".", targets)
        case "php":
            return Named(paths, (".php",), "\\", targets)
        case "ruby":
            return Ruby(paths)
        case _:
            return Headers(paths)
