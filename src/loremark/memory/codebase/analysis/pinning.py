"""Findings about version pinning: lock files, unpinned images, differing versions."""

from __future__ import annotations

import re
from collections import defaultdict

from loremark.memory.codebase.analysis.formatting import about, code, coded, finding, joined, points
from loremark.memory.codebase.analysis.path_roles import directory_of, path_role
from loremark.memory.codebase.analysis.survey import Survey
from loremark.memory.codebase.records import Dependency, Finding

ECOSYSTEMS = {
    "pypi": "Python",
    "npm": "npm",
    "go": "Go",
    "crates": "Rust",
    "maven": "Java",
    "nuget": ".NET",
    "rubygems": "Ruby",
    "packagist": "PHP",
    "docker": "container images",
    "pub": "Dart",
    "hex": "Elixir",
}
_LOCKS = {
    "npm": "package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lockb bun.lock",
    "pypi": "poetry.lock uv.lock pdm.lock Pipfile.lock requirements.lock pixi.lock",
    "crates": "Cargo.lock",
    "go": "go.sum",
    "rubygems": "Gemfile.lock gems.locked",
    "packagist": "composer.lock",
    "nuget": "packages.lock.json",
    "hex": "mix.lock",
    "pub": "pubspec.lock",
}
_MANAGER = {
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
    "yarn.lock": "Yarn",
    "pnpm-lock.yaml": "pnpm",
    "bun.lockb": "Bun",
    "bun.lock": "Bun",
    "poetry.lock": "Poetry",
    "uv.lock": "uv",
    "pdm.lock": "PDM",
    "Pipfile.lock": "Pipenv",
}


def pinning_findings(survey: Survey) -> list[Finding]:
    found = [*_locks(survey), _managers(survey), _images(survey), _differing(survey)]
    return [one for one in found if one is not None]


def direct(survey: Survey) -> dict[str, list[Dependency]]:
    """Direct dependencies by ecosystem."""
    rows: defaultdict[str, dict[str, Dependency]] = defaultdict(dict)
    for package in survey.packages:
        if package.is_direct:
            rows[package.ecosystem].setdefault(package.name, package)
    return {ecosystem: list(found.values()) for ecosystem, found in sorted(rows.items())}


def versioned(row: Dependency) -> str:
    return code(f"{row.name} {row.version}" if row.version and len(row.version) < 20 else row.name)


def _locks(survey: Survey) -> list[Finding]:
    found: list[Finding] = []
    for ecosystem, rows in direct(survey).items():
        names = _LOCKS.get(ecosystem, "").split()
        locks = sorted(
            (path for path in survey.paths if path.rpartition("/")[2] in names and path_role(path) == "own"),
            key=lambda path: (path.count("/"), path),
        )
        word = ECOSYSTEMS.get(ecosystem, ecosystem)
        manifests = [
            path
            for path, facts in survey.manifests
            if any(row.ecosystem == ecosystem and row.is_direct for row in facts.dependencies)
        ]
        if locks:
            content = [
                f"The {word} packages of {survey.codebase.name} are pinned by {coded(locks, 3)}. "
                f"Update lock files with the package manager, not by hand."
            ]
            found.append(
                finding(
                    "dependencies",
                    f"{word} versions are pinned by {code(locks[0])}",
                    content,
                    2,
                    [*locks[:5], *manifests[:3]],
                    ["lock-file"],
                )
            )
        elif names and len(rows) > 3 and ecosystem in ("npm", "pypi", "rubygems", "packagist"):
            loose = [row for row in rows if not (row.version or "").lstrip("=").replace(".", "").isdigit()]
            if len(loose) * 2 > len(rows):
                content = [
                    f"{survey.codebase.name} has no lock file for its {word} packages, and "
                    f"{len(loose)} of {len(rows)} have no exact version, "
                    f"so two installations can differ. Examples: {joined([versioned(row) for row in loose], 5)}."
                ]
                found.append(
                    finding(
                        "dependencies",
                        f"No lock file for {word} packages",
                        content,
                        2,
                        manifests[:5],
                        ["lock-file"],
                    )
                )
    return found


def _managers(survey: Survey) -> Finding | None:
    by_directory: defaultdict[str, set[str]] = defaultdict(set)
    for path in survey.paths:
        name = path.rpartition("/")[2]
        if name in _MANAGER and path_role(path) == "own":
            by_directory[directory_of(path)].add(name)
    for directory, locks in sorted(by_directory.items()):
        for ecosystem in ("npm", "pypi"):
            ours = sorted(lock for lock in locks if lock in _LOCKS[ecosystem].split())
            managers = list(dict.fromkeys(_MANAGER[lock] for lock in ours))
            if len(managers) > 1:
                where = directory or "the root directory"
                files = [f"{directory}/{lock}" if directory else lock for lock in ours]
                content = [
                    f"Lock files from {joined(managers)} are both in {where} "
                    f"({coded(files)}). They diverge unless the project uses only one."
                ]
                return finding(
                    "dependencies",
                    f"Several package managers: {joined(managers)}",
                    content,
                    3,
                    files,
                    ["lock-file"],
                )
    return None


def _images(survey: Survey) -> Finding | None:
    loose: dict[str, str] = {}
    for path, facts in survey.manifests:
        for row in facts.dependencies:
            if (
                row.ecosystem == "docker"
                and row.version in (None, "", "latest")
                and not re.match(r"[\W]|scratch$", row.name)
            ):
                loose.setdefault(row.name, path)
    if not loose:
        return None
    content = [
        f"{survey.codebase.name} uses container images without a fixed version: "
        f"{coded(sorted(loose))}. Builds may differ from one day to the next."
    ]
    return finding(
        "dependencies",
        f"Unpinned container images: {coded(sorted(loose)[:3], 3)}",
        content,
        2,
        sorted(set(loose.values())),
        ["docker"],
    )


def _differing(survey: Survey) -> Finding | None:
    versions: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for path, facts in survey.manifests:
        for row in facts.dependencies:
            if (
                row.is_direct
                and not row.is_exact
                and row.version
                and row.ecosystem != "docker"
                and re.search(r"\d", row.version)
            ):
                versions[row.ecosystem, row.name].setdefault(row.version, path)
    rows = {name: found for (_, name), found in sorted(versions.items()) if len(found) > 1}
    if len(rows) < 3:
        return None
    shown = [
        f"{code(name)}: {joined([f'{code(version)} in {code(path)}' for version, path in found.items()], 3)}"
        for name, found in rows.items()
    ]
    lead = f"The manifests of {survey.codebase.name} require different versions of {about(len(rows))} packages."
    files = [path for found in rows.values() for path in found.values()]
    return finding(
        "dependencies",
        "Manifests require different versions of the same packages",
        [lead, *points(shown, 8)],
        2,
        files,
        ["versions"],
    )
