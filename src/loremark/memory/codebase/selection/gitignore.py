"""Matches paths against .gitignore files in linear time for any pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_MAX_FILES = 200
_MAX_PATTERNS = 1000
_MAX_CHARS = 200
_MAX_WILD = 300
_MAX_WILD_CHARS = 80
_MAX_STARS = 6
"""Wildcard patterns are expensive to compile and match, and real ones are short."""
_MAX_WORK = 40_000_000
"""Budget of characters compared with wildcards per tree; beyond it, wildcards are no longer matched."""
_WILD = re.compile(r"[*?\[\\]")
_ENDING = re.compile(r"\*(\.[^*?\[\\/.]+)")


@dataclass(frozen=True, slots=True)
class _Pattern:
    order: int
    is_negated: bool
    is_for_directories: bool
    segments: tuple[re.Pattern[str] | str | None, ...]
    """One per path segment; None is ``**``, and a string is compared literally."""


@dataclass(slots=True)
class _Rules:
    """The patterns of one ignore file, grouped by how they are matched."""

    by_name: dict[str, list[_Pattern]] = field(default_factory=dict)
    by_ending: dict[str, list[_Pattern]] = field(default_factory=dict)
    by_first: dict[str, list[_Pattern]] = field(default_factory=dict)
    names: list[_Pattern] = field(default_factory=list)
    """Patterns with wildcards for the name only."""
    wild: list[_Pattern] = field(default_factory=list)
    any_name: dict[bool, re.Pattern[str]] = field(default_factory=dict)
    """All of ``names`` combined, for directories (True) and files, because most paths match none."""


class IgnoredPaths:
    """The ignored paths of a tree; caches the answer for each directory.

    Meant for plain folders; files tracked by git count even if a pattern matches.
    """

    def __init__(self, ignore_files: Mapping[str, str]) -> None:
        self._rules: dict[str, _Rules] = {}
        self._directories: dict[str, bool] = {"": False}
        self._work_left = _MAX_WORK
        patterns_left = _MAX_PATTERNS
        for path in sorted(ignore_files, key=lambda path: (path.count("/"), path))[:_MAX_FILES]:
            rules, used = _read(ignore_files[path], patterns_left)
            patterns_left -= used
            if used:
                self._rules[path.rpartition("/")[0]] = rules

    def __contains__(self, path: str) -> bool:
        if not self._rules:
            return False
        directory = path.rpartition("/")[0]
        return self._is_directory_ignored(directory) or self._verdict(path, is_directory=False)

    def _is_directory_ignored(self, directory: str) -> bool:
        """As in git, files in an ignored directory cannot be re-included."""
        missing: list[str] = []
        while directory not in self._directories:
            missing.append(directory)
            directory = directory.rpartition("/")[0]
        is_ignored = self._directories[directory]
        for below in reversed(missing):
            is_ignored = is_ignored or self._verdict(below, is_directory=True)
            self._directories[below] = is_ignored
        return is_ignored

    def _verdict(self, path: str, *, is_directory: bool) -> bool:
        """The nearest ignore file with a matching pattern decides; within it, the last match."""
        base = path
        while base:
            base = base.rpartition("/")[0]
            rules = self._rules.get(base)
            if rules is not None:
                fits = self._last_fit(rules, path[len(base) + 1 :] if base else path, is_directory)
                if fits is not None:
                    return not fits.is_negated
        return False

    def _last_fit(self, rules: _Rules, path: str, is_directory: bool) -> _Pattern | None:
        parts = path.split("/")
        name = parts[-1]
        found = [*rules.by_name.get(name, ()), *rules.by_ending.get(name[name.rfind(".") :] if "." in name else "", ())]
        found += [rule for rule in rules.by_first.get(parts[0], ()) if self._fits(rule, parts, len(path))]
        found += [rule for rule in rules.wild if self._fits(rule, parts, len(path))]
        any_name = rules.any_name.get(is_directory)
        if any_name is not None and self._work_left > 0:
            self._work_left -= len(name) * len(rules.names)
            if any_name.fullmatch(name):
                found += [rule for rule in rules.names if _matches(rule.segments, [name])]
        fitting = [rule for rule in found if is_directory or not rule.is_for_directories]
        return max(fitting, key=lambda rule: rule.order) if fitting else None

    def _fits(self, rule: _Pattern, parts: list[str], chars: int) -> bool:
        if self._work_left <= 0:
            return False
        self._work_left -= chars
        return _matches(rule.segments, parts)


def _matches(segments: tuple[re.Pattern[str] | str | None, ...], parts: list[str]) -> bool:
    """As with ``*`` in a string, only the last ``**`` needs to be retried."""
    at = part = 0
    again: tuple[int, int] | None = None
    while part < len(parts):
        if at < len(segments) and segments[at] is None:
            # At the end it needs at least one segment; elsewhere it may match none.
            at += 1
            if at == len(segments):
                return True
            again = (at, part)
        elif at < len(segments) and _is_same(segments[at], parts[part]):
            at, part = at + 1, part + 1
        elif again is not None:
            again = (again[0], again[1] + 1)
            at, part = again
        else:
            return False
    return at == len(segments)


def _is_same(segment: re.Pattern[str] | str | None, part: str) -> bool:
    if isinstance(segment, str):
        return segment == part
    return segment is not None and segment.fullmatch(part) is not None


def _read(text: str, most: int) -> tuple[_Rules, int]:
    rules = _Rules()
    used = 0
    for order, line in enumerate(text[: most * _MAX_CHARS].splitlines()):
        if used >= most:
            break
        pattern = line.rstrip(" \t\r") if not line.rstrip("\r").endswith("\\ ") else line
        if not pattern or pattern.startswith("#") or len(pattern) > _MAX_CHARS:
            continue
        used += _add(rules, pattern, order)
    for is_directory in (True, False):
        forms = [rule.segments[1] for rule in rules.names if is_directory or not rule.is_for_directories]
        if forms:
            both = "|".join(f"(?:{form.pattern})" for form in forms if isinstance(form, re.Pattern))
            rules.any_name[is_directory] = re.compile(both, re.DOTALL)
    return rules, used


def _add(rules: _Rules, pattern: str, order: int) -> bool:
    is_negated = pattern.startswith("!")
    pattern = pattern[1:] if is_negated else pattern
    is_for_directories = pattern.endswith("/")
    pattern = pattern.rstrip("/")
    is_anchored = "/" in pattern
    pattern = pattern.removeprefix("/")
    if pattern.startswith("**/") and "/" not in pattern[3:]:
        pattern, is_anchored = pattern[3:], False
    pieces = pattern.split("/")
    if not pattern or "" in pieces:
        return False
    if not is_anchored:
        return _add_name(rules, pattern, order, is_negated, is_for_directories)
    segments: list[re.Pattern[str] | str | None] = []
    for piece in pieces:
        segment = None if piece == "**" else _segment(piece)
        if segment is None and piece != "**":
            return False
        if segment is not None or not segments or segments[-1] is not None:
            segments.append(segment)
    rule = _Pattern(order, is_negated, is_for_directories, tuple(segments))
    first = segments[0]
    if isinstance(first, str):
        rules.by_first.setdefault(first, []).append(rule)
    elif len(rules.wild) < _MAX_WILD:
        rules.wild.append(rule)
    return True


def _add_name(rules: _Rules, pattern: str, order: int, is_negated: bool, is_for_directories: bool) -> bool:
    """A pattern without a slash matches the name only, at any depth."""
    segment = _segment(pattern)
    if segment is None:
        return False
    rule = _Pattern(order, is_negated, is_for_directories, (None, segment))
    ending = _ENDING.fullmatch(pattern)
    if ending:
        rules.by_ending.setdefault(ending.group(1), []).append(rule)
    elif isinstance(segment, str):
        rules.by_name.setdefault(segment, []).append(rule)
    elif len(rules.names) < _MAX_WILD:
        rules.names.append(rule)
    return True


def _segment(glob: str) -> re.Pattern[str] | str | None:
    """Compiles a glob segment: a star matches lazily and never backtracks, so time is linear."""
    if not _WILD.search(glob):
        return glob
    if len(glob) > _MAX_WILD_CHARS or glob.count("*") > _MAX_STARS:
        return None
    made: list[str] = []
    run: list[str] = []
    is_after_star = False
    at = 0
    while at < len(glob):
        char, at = glob[at], at + 1
        if char == "*":
            if run or not is_after_star:
                made.append(f"(?>.*?{''.join(run)})" if is_after_star else "".join(run))
            run, is_after_star = [], True
            continue
        atom, at = _atom(glob, char, at)
        if atom is None:
            return None
        run.append(atom)
    # The part after the last star is anchored at the end and must not overlap with what came before.
    made.append(
        f".{{{len(run)},}}+(?<={''.join(run)})" if is_after_star and run else ".*+" if is_after_star else "".join(run)
    )
    try:
        return re.compile("".join(made), re.DOTALL)
    except (re.error, OverflowError):
        return None


def _atom(glob: str, char: str, at: int) -> tuple[str | None, int]:
    """The pattern for one character, and where the next one starts."""
    if char == "?":
        return ".", at
    if char == "[":
        return _class(glob, at)
    if char == "\\":
        return (re.escape(glob[at]), at + 1) if at < len(glob) else (None, at)
    return re.escape(char), at


def _class(glob: str, at: int) -> tuple[str | None, int]:
    """A class such as ``[a-z]`` or ``[!0-9]``, and where it ends; None if it is not closed."""
    end = glob.find("]", at + 2 if glob[at : at + 1] in ("!", "^") else at + 1)
    inside = glob[at:end]
    if end < 0 or "--" in inside:
        return None, at
    is_negated = inside[:1] in ("!", "^")
    inside = inside[1:] if is_negated else inside
    escaped = re.sub(r"([\\\[\]^&~|])", r"\\\1", inside)
    return f"[{'^' if is_negated else ''}{escaped}]", end + 1
