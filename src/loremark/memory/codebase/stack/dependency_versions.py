"""Merges direct dependencies with the exact versions from lock files."""

from __future__ import annotations

import re

from loremark.memory.codebase.manifests.manifest_reader import is_lock
from loremark.memory.codebase.manifests.versions import fits
from loremark.memory.codebase.records import Codebase, Dependency
from loremark.memory.codebase.stack.scope import area_of
from loremark.memory.codebase.stack.technologies import plain_name

_MAX = 5_000
# Ecosystems in which a plain number in a manifest is the exact version.
_EXACT_BY_HABIT = frozenset(("maven", "nuget", "go", "docker"))
_PINNED = re.compile(r"(?:==?=?)?\s{0,2}(v?\d{1,8}(?:\.\d{1,8}){1,4}[\w.+-]{0,40})")
_CENTRAL = frozenset(("directory.packages.props", "pom.xml"))
_MAX_VERSIONS = 50
"""Versions of one package in one folder; real lock files do not have more."""
_Key = tuple[str, str]


class LockedVersions:
    """Versions from lock files and managed lists, by the folder they apply to."""

    def __init__(self, codebase: Codebase) -> None:
        self._locked: dict[str, dict[_Key, dict[str, None]]] = {}
        self._managed: dict[_Key, str] = {}
        for path in sorted(_asking(codebase)):
            facts = codebase.files[path]
            if area_of(path) == "foreign":
                continue
            # A folder of compiled requirements applies to the enclosing project.
            folder = path.rpartition("/")[0].removesuffix("requirements").rstrip("/")
            for row in facts.dependencies:
                key = (row.ecosystem, plain_name(row.ecosystem, row.name))
                if row.is_exact and row.version:
                    versions = self._locked.setdefault(folder, {}).setdefault(key, {})
                    if len(versions) < _MAX_VERSIONS:
                        versions[row.version] = None
                elif not row.is_direct and row.version and not is_lock(path):
                    self._managed.setdefault(key, row.version)

    def version_of(self, folder: str, row: Dependency) -> tuple[str | None, bool]:
        """The version of a dependency of a manifest in the folder, and whether it is exact."""
        key = (row.ecosystem, plain_name(row.ecosystem, row.name))
        wanted = row.version or self._managed.get(key)
        if row.version is not None and row.version.startswith("catalog:"):
            wanted = self._managed.get(key)
        above = folder
        while True:
            versions = self._locked.get(above, {}).get(key, {})
            fitting = next((version for version in versions if fits(wanted, version)), None)
            if fitting is not None or len(versions) == 1:
                return fitting or next(iter(versions)), True
            if not above:
                break
            above = above.rpartition("/")[0]
        pinned = _PINNED.fullmatch(wanted or "")
        if pinned is not None and (wanted or "").startswith("==") | (row.ecosystem in _EXACT_BY_HABIT):
            return pinned.group(1), True
        return wanted, False


def direct_dependencies(codebase: Codebase) -> list[tuple[str, Dependency]]:
    """Each direct dependency with its manifest, starting with manifests closest to the root."""
    locks = LockedVersions(codebase)
    # A compiled list of requirements counts only if there is no handwritten one.
    asking = _asking(codebase)
    has_compiled_only = not any(
        row.ecosystem == "pypi" and row.is_direct
        for path in asking
        if area_of(path) == "own"
        for row in codebase.files[path].dependencies
    )
    found: list[tuple[str, Dependency]] = []
    for path in sorted(asking, key=lambda path: (path.count("/"), path)):
        facts = codebase.files[path]
        if is_lock(path) or area_of(path) == "foreign":
            continue
        folder = path.rpartition("/")[0]
        is_only_word = has_compiled_only and path.lower().endswith((".txt", ".in", ".pip"))
        for row in facts.dependencies:
            if (row.is_direct or is_only_word) and len(found) < _MAX:
                version, is_exact = locks.version_of(folder, row)
                merged = Dependency(row.name, version, row.ecosystem, True, row.is_dev, is_exact)
                found.append((path, merged))
    return found


def _asking(codebase: Codebase) -> list[str]:
    """The files that list packages."""
    return [path for path, facts in codebase.files.items() if facts.dependencies]


def managed_dependencies(codebase: Codebase) -> list[tuple[str, Dependency]]:
    """Centrally managed dependencies that no manifest requires."""
    found: list[tuple[str, Dependency]] = []
    for path in sorted(_asking(codebase), key=lambda path: (path.count("/"), path)):
        if path.rpartition("/")[2].lower() in _CENTRAL and area_of(path) == "own":
            found.extend((path, row) for row in codebase.files[path].dependencies if not row.is_direct)
    return found[:_MAX]


def merged_packages(codebase: Codebase) -> tuple[Dependency, ...]:
    """Each package once, preferring runtime over development and exact versions over ranges."""
    best: dict[_Key, Dependency] = {}
    for path, row in direct_dependencies(codebase):
        key = (row.ecosystem, plain_name(row.ecosystem, row.name))
        is_dev = row.is_dev or area_of(path) == "test"
        before = best.get(key)
        if before is None:
            best[key] = Dependency(row.name, row.version, row.ecosystem, True, is_dev, row.is_exact)
            continue
        is_better = row.version and (
            not before.version
            or (before.is_dev and not is_dev)
            or (row.is_exact and not before.is_exact and not is_dev)
        )
        better = row if is_better else before
        best[key] = Dependency(
            before.name, better.version, before.ecosystem, True, before.is_dev and is_dev, better.is_exact
        )
    return tuple(best[key] for key in sorted(best))
