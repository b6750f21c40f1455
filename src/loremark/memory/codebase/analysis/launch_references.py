"""Finds files and commands started by Dockerfiles, Procfiles, supervisors and crontabs."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from loremark.memory.codebase.analysis.path_roles import CODE, path_role
from loremark.memory.codebase.records import Codebase

_MAX_WORDS = 40
_MAX_ALIKE = 20
_WORD = re.compile(r"[\w./:@-]{2,160}")
_MODULE = re.compile(r"([A-Za-z_]\w{0,60}(?:\.\w{1,60}){0,8})(?::\w{1,60})?")
_STARTER = re.compile(
    r"[\w-]{0,40}(?:entrypoint|start|run|init|boot|serve)[\w-]{0,40}(?:\.sh|\.py|\.js|\.mjs)?", re.IGNORECASE
)
_STARTS = re.compile(r"entrypoint|start|run|init|boot|serve", re.IGNORECASE)
_CONSOLE = re.compile(r"(?:^|/)(?:manage\.py|artisan|console|rake|rails)$")


@dataclass(frozen=True, slots=True)
class LaunchReferences:
    """Files started by name with the file that starts them (CI pipelines last), and commands that are run."""

    files: dict[str, str]
    commands: frozenset[str]


def is_pipeline(path: str) -> bool:
    """Whether the path is a CI pipeline, which mostly starts programs for CI only."""
    return path.startswith((".github/", ".circleci/", ".gitlab", ".woodpecker", ".buildkite"))


def launch_references(codebase: Codebase) -> LaunchReferences:
    tellers = [
        (path, facts)
        for path, facts in codebase.files.items()
        if facts.entries and facts.language not in CODE and not path.endswith((".json", ".toml"))
    ]
    if not tellers:
        return LaunchReferences({}, frozenset())
    paths = frozenset(codebase.paths) | frozenset(codebase.files)
    scripts = _scripts(paths)
    files: dict[str, str] = {}
    commands: set[str] = set()
    for path, facts in sorted(tellers, key=lambda row: (is_pipeline(row[0]), row[0])):
        if path_role(path) != "own":
            continue
        for entry in facts.entries:
            words = _WORD.findall(entry.name)[:_MAX_WORDS]
            for word, following in zip(words, [*words[1:], ""], strict=False):
                if _CONSOLE.search(word):
                    commands.add(following)
                found = next(_files(word, path.rpartition("/")[0], paths), None) or _by_end(word, scripts)
                if found is not None and path_role(found) == "own" and found != path:
                    files.setdefault(found, path)
    return LaunchReferences(files, frozenset(commands - {""}))


def _files(word: str, base: str, paths: frozenset[str]) -> Iterator[str]:
    """Files a word may refer to: from the root, relative, without an image's path prefix, or as a module."""
    plain = posixpath.normpath(word).lstrip("/")
    parts = plain.split("/")[:12]
    for start in range(len(parts)):
        tail = "/".join(parts[start:])
        if len(parts) - start == 1 and start and "." not in tail and len(tail) < 4:
            return
        yield from (path for path in (tail, posixpath.join(base, tail)) if path in paths)
    module = _MODULE.fullmatch(word)
    if module is not None and ("." in word or ":" in word):
        stem = module.group(1).replace(".", "/")
        for root in ("", "src/"):
            yield from (
                path for end in (".py", "/__main__.py", "/__init__.py") if (path := f"{root}{stem}{end}") in paths
            )


def _scripts(paths: frozenset[str]) -> dict[str, list[str]]:
    """Container scripts by name, because their path in an image often differs from the repository."""
    found: dict[str, list[str]] = {}
    for path in sorted(paths):
        name = path.rpartition("/")[2]
        if _STARTS.search(name) and _STARTER.fullmatch(name) and path_role(path) == "own":
            found.setdefault(name, []).append(path)
    return found


def _by_end(word: str, scripts: dict[str, list[str]]) -> str | None:
    """The only script whose path ends like the word."""
    plain = posixpath.normpath(word).lstrip("/")
    rows = scripts.get(plain.rpartition("/")[2], [])
    if len(rows) > _MAX_ALIKE:
        return None
    fitting = [path for path in rows if path.endswith(f"/{plain}")] or rows
    return fitting[0] if len(fitting) == 1 else None
