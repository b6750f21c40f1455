"""Entry points by name or size: files named after the project, their directory or their role, or large ones."""

from __future__ import annotations

import re
from math import log2

from loremark.memory.codebase.analysis.entry_candidates import EntryCandidates, directory_depth
from loremark.memory.codebase.analysis.entry_sources import size_bonus, size_of
from loremark.memory.codebase.analysis.path_roles import path_role
from loremark.memory.codebase.records import Codebase, Entry

_HEADER = 12
_LARGE, _MAX_LARGEST, _LARGEST_WEIGHT, _LONG = 250, 6, 38, 6.0
_OF_SERVER = 6
_LARGEST_AT_FIRST, _WHERE_IT_GOES_ON = 2, 9.0
_BESIDE_SOURCE = 22.0
_NO_LARGEST = re.compile(r"(?:^|[_-])(?:utils?|helpers?|log|logger|printf|dtoa|compat|strings?)$")
_BESIDE_FIRST, _IN_C = 3.0, (".c", ".cc", ".cpp", ".cxx")
_CALLED_LIKE_IT, _ITS_NAME, _ROLE_WEIGHT = 56, 8, 46
_ROOTS = ("/__init__.py", "/index.ts", "/index.js", ".rb", "/lib.rs")
_COMPILED = (".c", ".cc", ".cpp", ".cxx", ".go", ".rs", ".zig", ".d", ".swift")
_PART_ENDINGS = (
    *(
        "y",
        "l",
        "c",
        "cc",
        "cpp",
        "cxx",
        "go",
        "rs",
        "zig",
        "swift",
        "py",
        "rb",
        "js",
        "ts",
        "jsx",
        "tsx",
        "php",
        "java",
    ),
    *("kt", "cs", "ex", "lua", "pl", "h", "hpp"),
)
_ROLE = re.compile(
    r"server|client|daemon|cmd|commands?|cli|options?|config|cfg|conf|control|parser?|lexer|execute|exec|eval|interpreter|"
    r"builtins?|loop|event_?loop|core|engine|app|api|runtime|kernel|vm|repl|networking|network|router|routes|"
    r"master|main_?loop|threads?|workers?|scheduler|proto(?:col)?(?:_\w{1,20})?|connections?|session|listener|dispatch(?:er)?|"
    r"command_?line|cmdline|flags|args|ui|tui|display|settings|input|output|storage|database|db|cache|plugins?|modules?|"
    r"handlers?|hooks|proxy|auth|registry|managers?|services?|boot|host|startup|application|main_?window|keymaps?|"
    r"key_?bindings|events?|conf_?file|process(?:es)?|get_?(?:opts?|params?|args)",
    re.IGNORECASE,
)
_MODULE = re.compile(r"/(?:flags|cli|args|commands?|options|configs?|app|server|modules|plugins)$")
_OF_CLASSES = (".cs", ".java", ".kt")
_BY_DIRECTORY, _LIKE_ITS_PLACE = (".go", ".c", ".cc", ".cpp"), 46


def _long(lines: int) -> float:
    """The extra weight of a long file compared with one of average length."""
    return min(_LONG, 2 * log2(max(1.0, lines / (2 * _LARGE))))


def _last_word(stem: str) -> str:
    """The last word of a PascalCase name: ``CoreAppHost`` is a host."""
    found = re.search(r"[A-Z][a-z]{1,30}$", stem)
    return found.group() if found is not None else stem


def _is_called_like(stem: str, directory: str) -> bool:
    """Whether a file is named after its directory: ``model/model.go``, ``http/ngx_http.c``."""
    is_named = stem == directory or stem.endswith(f"_{directory}")
    return is_named and len(directory) > 2 and not directory.endswith("test")


def add_directory_heads(codebase: Codebase, candidates: EntryCandidates) -> None:
    for path, facts in codebase.files.items():
        if path.endswith(_BY_DIRECTORY) and facts.lines >= _LARGE and path_role(path) == "own":
            directory, _, file = path.rpartition("/")
            stem = file.partition(".")[0]
            if _is_called_like(stem, directory.rpartition("/")[2]):
                weight = _LIKE_ITS_PLACE + size_bonus(facts) + _long(facts.lines)
                candidates.add(path, Entry("main", f"{stem} module", 1), "onward", weight)


def add_named_parts(codebase: Codebase, candidates: EntryCandidates) -> None:
    """Adds files named after the project, and modules next to its program that are named after their role."""
    own = re.sub(r"[^a-z0-9]", "", codebase.name.lower())
    beside = {
        candidate.path.rpartition("/")[0]
        for candidate in candidates.in_groups("program", "console")
        if candidate.path.endswith(_COMPILED)
    }
    first = next((candidate.path.rpartition("/")[0] for candidate in candidates.in_groups("console", "program")), "")
    beside |= {
        candidate.path.rpartition("/")[0]
        for candidate in candidates.in_groups("library")[:3]
        if candidate.path.endswith(_ROOTS)
    }
    beside |= {""} if "go.mod" in codebase.files else set()
    beside |= {
        candidate.path.rpartition("/")[0]
        for candidate in candidates.in_groups("program")[:2]
        if candidate.path.endswith(_OF_CLASSES)
    }
    # In a server, the routes are the entry points.
    telling = _IN_C if len(candidates.in_groups("table", "controller")) >= _OF_SERVER else (*_IN_C, ".rs")
    led = {
        candidate.path.rpartition("/")[0]
        for candidate in candidates.in_groups("onward")[:2]
        if candidate.path.endswith(".go")
    }
    beside |= led
    parts: dict[tuple[str, str], tuple[int, str, float]] = {}
    sources: list[tuple[int, str, float]] = []
    for path in codebase.paths:
        directory, _, file = path.rpartition("/")
        stem, _, ending = file.partition(".")
        if path_role(path) != "own" or ending not in _PART_ENDINGS:
            continue
        facts = codebase.files.get(path) if directory in beside else None
        if facts is not None and facts.lines >= _LARGE and path.endswith(_COMPILED) and not _NO_LARGEST.search(stem):
            lift = _BESIDE_FIRST if directory == first and path.endswith(telling) else 0.0
            lift += _WHERE_IT_GOES_ON if directory in led else 0.0
            sources.append((-facts.lines, path, size_bonus(facts) + lift))
        if file == "mod.rs" and _MODULE.search(directory):
            # In Rust, a module with a directory has the same name as it.
            directory, _, stem = directory.rpartition("/")
        is_its_name = bool(own) and stem.lower().replace("-", "").replace("_", "") == own
        if (
            is_its_name
            and directory_depth(path) <= 1
            and directory.rpartition("/")[2] not in ("config", "configs", "settings", "dist")
        ):
            candidates.raise_weight(path, _ITS_NAME)
            cost = _BESIDE_SOURCE if ending == "h" and f"{path[:-1]}c" in codebase.files else 0.0
            candidates.add(path, Entry("library", stem, 1), "library", _CALLED_LIKE_IT + size_of(codebase, path) - cost)
        elif directory in beside and _ROLE.fullmatch(
            _last_word(stem) if path.endswith(_OF_CLASSES) else stem.strip("_")
        ):
            # Of a grammar, a source and its header, prefer the one that people edit.
            rank = _PART_ENDINGS.index(ending)
            if rank <= parts.get((directory, stem), (99, "", 0.0))[0]:
                parts[directory, stem] = (rank, path, size_of(codebase, path))
    # Code generated from a grammar is not written by hand.
    written = {path.rpartition(".")[0] for path in codebase.paths if path.endswith((".y", ".l"))}
    largest = [(path, size) for _, path, size in sorted(sources) if path.rpartition(".")[0] not in written]
    at_first = [row for row in largest[_MAX_LARGEST:] if row[0].rpartition("/")[0] == first][:_LARGEST_AT_FIRST]
    for path, size in (*largest[:_MAX_LARGEST], *at_first):
        candidates.add(path, Entry("main", "core module", 1), "onward", _LARGEST_WEIGHT + size)
    for (_, stem), (_, path, size) in sorted(parts.items()):
        weight = _ROLE_WEIGHT + size - (_HEADER if path.endswith((".h", ".hpp")) else 0)
        candidates.add(path, Entry("main", f"{stem.strip('_')} module", 1), "onward", weight)
