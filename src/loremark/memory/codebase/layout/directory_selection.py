"""Selects the directories worth describing."""

from __future__ import annotations

from collections.abc import Iterable

from loremark.memory.codebase.layout.directory_stats import DirectoryStats, above, is_project, name_of
from loremark.memory.codebase.layout.roles import BY_NAME, CODE_BY_NAME, has_self_explanatory_name, words

_MAX_FIRST = 15
_MAX = 24
_FEW = 5
_MAX_OPENED = 3
_MIN_FURTHER = 0.002
_HOLDS_MUCH = 0.1
_FURTHER_DOWN = 0.6
_MIN_SHARE = 30
_MIN_USUAL = 8
# Container directories, whose children are what matters.
_CONTAINERS = words("""
    src lib app apps packages crates services modules libs cmd internal pkg projects plugins main java kotlin scala
    source sources backend frontend server client web
    """)
_BESIDE = words("tests documentation migrations deployment scripts templates") | {"CI and repository settings"}


def select_directories(parts: dict[str, DirectoryStats]) -> list[str]:
    """Replaces pure container directories by their children, then expands the largest until there are enough."""
    whole = max(1, parts[""].code_lines)
    chosen = _without_containers(parts[""].children, parts, whole)
    opened: set[str] = set()
    for _ in range(_MAX_OPENED):
        path = max(sorted(chosen - opened), key=lambda path: parts[path].code_lines, default="")
        if path and parts[path].code_lines * 4 > whole and not has_self_explanatory_name(path, parts[path]):
            least = whole / _MIN_SHARE if opened else 0
            inside = _without_containers(parts[path].children, parts, whole)
            chosen |= {child for child in inside if parts[child].code_lines >= least}
            chosen -= set() if parts[path].own or is_project(parts[path]) else {path}
        opened.add(path)
    ranked = sorted(chosen, key=lambda path: (-_worth(path, parts[path], whole), path))
    ranked = [path for path in ranked if not (above(path) in chosen and len(parts[above(path)].children) == 1)]
    known = [
        path for path in ranked if parts[path].code_lines * 200 > whole or has_self_explanatory_name(path, parts[path])
    ]
    first = (known if len(known) >= _FEW else ranked)[:_MAX_FIRST]
    return _with_others(first, parts, whole)


def _without_containers(paths: Iterable[str], parts: dict[str, DirectoryStats], whole: int) -> set[str]:
    """The directories, with pure containers replaced by their children."""
    chosen: set[str] = set()
    waiting = sorted(paths)
    while waiting:
        path = waiting.pop()
        part = parts[path]
        if _is_container(path, part, whole):
            waiting.extend(part.children)
            if part.own < 2 or part.own * 10 < part.files:
                continue
        chosen.add(path)
    return chosen


def _with_others(first: list[str], parts: dict[str, DirectoryStats], whole: int) -> list[str]:
    """Fills up with the containers, then top-level directories, then siblings and children."""
    chosen = set(first)
    holders = {step for path in first for step in _all_above(path) if step not in chosen}
    rows: list[tuple[int, float, str]] = []
    for path in sorted({child for holder in (*chosen, *holders, "") for child in parts[holder].children} - chosen):
        part = parts[path]
        share = part.code_lines / whole
        is_near = "/" not in path and not path.startswith(".")
        is_named = part.files > 2 and (name_of(path) in BY_NAME or name_of(path) in CODE_BY_NAME)
        if len(parts[above(path)].children) == 1 and above(path):
            continue
        if path in holders:
            rows += [(0, -share, path)] if share > _HOLDS_MUCH and path.count("/") < 2 else []
        elif is_near or is_project(part) or _is_usual(path, part):
            rows.append((1, -share - min(part.files, 50) / 1_000, path))
        elif share >= _MIN_FURTHER or is_named:
            rows.append((2, -(share + 0.01 * is_named) * _FURTHER_DOWN ** path.count("/"), path))
    return [*first, *(path for _, _, path in sorted(rows)[: _MAX - len(first)])]


def _is_usual(path: str, part: DirectoryStats) -> bool:
    """Whether it is a common part of an application by name, directly below a source directory."""
    holder = above(path)
    is_named = name_of(path) in CODE_BY_NAME or name_of(path) in BY_NAME
    return is_named and part.code_files >= _MIN_USUAL and "/" not in holder and name_of(holder) in _CONTAINERS


def _all_above(path: str) -> list[str]:
    steps = path.split("/")
    return ["/".join(steps[:length]) for length in range(1, len(steps))]


def _is_container(path: str, part: DirectoryStats, whole: int) -> bool:
    """Whether it is a container by name with much of the code, or has only one child."""
    if not part.children or has_self_explanatory_name(path, part):
        return False
    if len(part.children) == 1 and not part.own and not is_project(part):
        return True
    return name_of(path) in _CONTAINERS and part.code_lines * 10 > whole


def _worth(path: str, part: DirectoryStats, whole: int) -> float:
    """Weight of a directory: code counts most, but must not crowd out tests, documentation, CI…"""
    is_beside = has_self_explanatory_name(path, part) and part.files > 1 and path.count("/") <= 1
    bonus = (0.06 if BY_NAME[name_of(path)] in _BESIDE else 0.02) if is_beside else 0.0
    return part.code_lines / whole + bonus / (1 + path.count("/")) + min(part.files, 100) / 10_000
