"""Statistics per directory, including everything below it."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from loremark.memory.codebase.languages import language_of
from loremark.memory.codebase.records import Codebase, FileFacts
from loremark.memory.codebase.selection.exclusions import ExcludedDirectories, is_hostile_name
from loremark.memory.codebase.selection.file_kinds import is_example, is_manifest, is_migration, is_test

LANGUAGE_TITLES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScript", "go": "Go",
    "rust": "Rust", "java": "Java", "kotlin": "Kotlin", "scala": "Scala", "groovy": "Groovy", "csharp": "C#",
    "fsharp": "F#", "ruby": "Ruby", "php": "PHP", "c": "C", "cpp": "C++", "header": "C", "swift": "Swift",
    "objective-c": "Objective-C", "dart": "Dart", "elixir": "Elixir", "erlang": "Erlang", "haskell": "Haskell",
    "ocaml": "OCaml", "lua": "Lua", "perl": "Perl", "r": "R", "julia": "Julia", "zig": "Zig", "tcl": "Tcl",
    "shell": "shell", "powershell": "PowerShell", "vue": "Vue", "svelte": "Svelte", "astro": "Astro", "sql": "SQL",
}  # fmt: skip
UI_LIBRARIES = {"react": "React", "preact": "Preact", "vue": "Vue", "svelte": "Svelte", "solid-js": "Solid"}


@dataclass(slots=True)
class DirectoryStats:
    """Statistics of a directory with everything below it; ``own`` (code files) and ``names`` exclude subdirectories."""

    files: int = 0
    lines: int = 0
    code_lines: int = 0
    code_files: int = 0
    own: int = 0
    names: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    languages: Counter[str] = field(default_factory=Counter)
    evidence: Counter[str] = field(default_factory=Counter)


def directory_stats(codebase: Codebase) -> dict[str, DirectoryStats]:
    """Statistics per directory; excluded directories are left out."""
    parts: dict[str, DirectoryStats] = defaultdict(DirectoryStats)
    paths = [path for path in codebase.paths if not is_hostile_name(path)]
    foreign = ExcludedDirectories(paths)
    for path in paths:
        if foreign.reason(path) is None:
            _add(parts, codebase, path)
    _sum_up(parts)
    return parts


def _add(parts: dict[str, DirectoryStats], codebase: Codebase, path: str) -> None:
    directory, _, name = path.rpartition("/")
    language, facts = language_of(path), codebase.files.get(path)
    lines = facts.lines if facts is not None else 0
    is_code = language in LANGUAGE_TITLES and not (is_test(path) or is_example(path) or is_migration(path))
    evidence = _evidence(facts) if is_code and facts is not None else ()
    part = parts[directory]
    part.names.add(name)
    part.own += is_code
    part.files += 1
    part.lines += lines
    part.code_lines += max(1, lines) if is_code else 0
    part.code_files += is_code
    if language is not None:
        part.languages[language] += max(1, lines)
    if evidence:
        part.evidence.update(evidence)


def _sum_up(parts: dict[str, DirectoryStats]) -> None:
    """Adds up each directory's subdirectories, deepest first."""
    for directory in list(parts):
        while directory:
            directory = above(directory)
            parts[directory]  # it may contain only directories
    for directory in sorted(filter(None, parts), key=lambda path: -path.count("/")):
        part, around = parts[directory], parts[above(directory)]
        around.children.add(directory)
        around.files += part.files
        around.lines += part.lines
        around.code_lines += part.code_lines
        around.code_files += part.code_files
        around.languages.update(part.languages)
        if part.evidence:
            around.evidence.update(part.evidence)


def _evidence(facts: FileFacts) -> list[str]:
    shown = [imported.target for imported in facts.imports if imported.target in UI_LIBRARIES]
    if not shown and not facts.entries and not facts.models:
        return []
    return [
        *(f"entry:{entry.kind}" for entry in facts.entries),
        *(f"model:{model.kind}" for model in facts.models),
        *(UI_LIBRARIES[name] for name in sorted(set(shown))),
    ]


def is_project(part: DirectoryStats) -> bool:
    return any(is_manifest(name) for name in part.names)


def above(path: str) -> str:
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    return path.rpartition("/")[2].lower()
