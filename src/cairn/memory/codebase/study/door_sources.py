"""Doors that the source itself tells: programs, servers, commands, jobs, and files with routes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import log2

from cairn.memory.codebase.records import Codebase, Entry, FileFacts
from cairn.memory.codebase.study.doors import Group
from cairn.memory.codebase.study.placing import CODE, place_of

Offer = tuple[str, Entry, Group, float]
# A compiled language has a main for every program; in Python and in scripts many a module can be run by itself.
_COMPILED = frozenset("go rust c cpp java kotlin scala csharp fsharp swift dart zig haskell".split())
_MAIN_COMPILED, _MAIN_SCRIPTED, _SERVER, _OPTIONS, _COMMAND, _JOB, _BROWSER = 86, 56, 72, 74, 56, 54, 84
_CONTROLLER, _TABLE_NAME, _TABLE_ROOT = 60, 6, 14
_A_CROWD = 3
_COMMANDS = re.compile(r"(?:^|/)(?:commands?|tasks)$", re.IGNORECASE)
_MANY_ROUTES = 8
_TABLE = re.compile(r"(?:urls|rout(?:e|er|es|ers|ing)|api_?routes\w*|endpoints)\.\w{2,4}", re.IGNORECASE)
_ROOT_SIGNS = ("wsgi.py", "asgi.py", "settings.py")
_ASIDE = re.compile(
    r"(?:^|/)(?:scripts?|tools?|hack|contrib|build|ci|\.github|\.ci|\.devcontainer|misc|utils?|dev|packaging|debian|deploy|"
    r"docker|migrations?|generators?|codegen|devtools|fuzz|locales?|i18n|static|assets|stories|cypress|e2e)/",
    re.IGNORECASE,
)
_ASIDE_COST = 26
SETTINGS = re.compile(
    r"\.(?:config|setup|rc|conf|stories|d)\.[mc]?[jt]sx?$|(?:^|/)(?:gulpfile|gruntfile|webpack|conftest|setup)\b",
    re.IGNORECASE,
)
_SCRIPT_LANGUAGES = ("shell", "powershell", "perl")


def source_doors(codebase: Codebase) -> Iterator[Offer]:
    """What the entries of the project's own files say, file by file."""
    own = {
        path: facts
        for path, facts in sorted(codebase.files.items())
        if facts.language in CODE and place_of(path) == "own" and "written-by" not in facts.signs
    }
    crowds = Counter(_above(path) for path, facts in own.items() if any(one.kind == "cli" for one in facts.entries))
    roots = {_above(path) for path in codebase.paths if path.rpartition("/")[2] in _ROOT_SIGNS}
    for path, facts in own.items():
        if SETTINGS.search(path):
            continue
        if facts.entries:
            cost = _ASIDE_COST if _ASIDE.search(path) else 0
            is_crowd = crowds[_above(path)] >= _A_CROWD or _COMMANDS.search(_above(path)) is not None
            yield from _of_entries(path, facts, cost, is_crowd)
            yield from _of_routes(path, facts, roots)
        elif facts.language in _SCRIPT_LANGUAGES:
            yield path, Entry("cli", path.rpartition("/")[2], 1), "script", 36


def size_bonus(facts: FileFacts) -> float:
    """A large file that reaches for much is more central than a small one of its kind."""
    return min(7.0, facts.lines / 45) + min(5.0, len(facts.imports) / 3)


def _of_entries(path: str, facts: FileFacts, cost: float, is_crowd: bool) -> Iterator[Offer]:
    seen: set[str] = set()
    for entry in facts.entries:
        if entry.kind in seen:
            continue
        seen.add(entry.kind)
        match entry.kind:
            case "main":
                weight = _MAIN_COMPILED if facts.language in _COMPILED else _MAIN_SCRIPTED
                yield path, entry, "program", weight - cost
            case "server":
                yield path, entry, "server", _SERVER - cost
            case "cli" if is_crowd:
                yield path, entry, "command", _COMMAND + size_bonus(facts) - cost / 2
            case "cli":
                yield (
                    path,
                    entry,
                    "script" if cost else "options",
                    (_COMMAND if cost else _OPTIONS) + size_bonus(facts) / 2 - cost,
                )
            case "job":
                yield path, entry, "job", _JOB + size_bonus(facts) - cost / 2
            case "page" if entry.name == "browser app":
                yield path, entry, "browser", _BROWSER - cost
            case _:
                pass


def _of_routes(path: str, facts: FileFacts, roots: set[str]) -> Iterator[Offer]:
    routes = [entry for entry in facts.entries if entry.kind == "route"]
    if not routes:
        return
    file = path.rpartition("/")[2]
    is_table = _TABLE.fullmatch(file) is not None and file not in ("route.ts", "route.js")
    weight = _CONTROLLER + min(20.0, 4 * log2(1 + len(routes))) + size_bonus(facts)
    weight += (_TABLE_NAME if is_table else 0) + (_TABLE_ROOT if is_table and _above(path) in roots else 0)
    group: Group = "table" if is_table or len(routes) >= _MANY_ROUTES else "controller"
    yield (
        path,
        Entry("route", routes[0].name if len(routes) == 1 else f"{len(routes)} routes", routes[0].line),
        group,
        weight,
    )


def _above(path: str) -> str:
    return path.rpartition("/")[0]
