"""Builds the tech stack from manifests, files and settings."""

from __future__ import annotations

from collections.abc import Iterator

from loremark.memory.codebase.manifests.versions import plain_version
from loremark.memory.codebase.records import Category, Codebase, Dependency, Tech
from loremark.memory.codebase.stack.dependency_versions import (
    direct_dependencies,
    managed_dependencies,
    merged_packages,
)
from loremark.memory.codebase.stack.language_shares import languages
from loremark.memory.codebase.stack.prominent_libraries import prominent_libraries
from loremark.memory.codebase.stack.scope import are_shipped, area_of, folders_of, is_test
from loremark.memory.codebase.stack.source_signals import source_signals
from loremark.memory.codebase.stack.technologies import (
    CATEGORIES,
    KIND_OF,
    Detection,
    Technology,
    detect,
    meanings_of,
    plain_name,
)

_ALWAYS: frozenset[Category] = frozenset(("testing", "tooling", "styling"))
"""Categories in which development dependencies count like any other."""
_COMPOSE = ("docker-compose", "compose.", "podman-compose")
_NEEDS = {
    "shadcn/ui": "Tailwind CSS",
    "Active Record": "Ruby on Rails",
    "Django Templates": "Django",
    "FreeMarker": "Java",
    "Velocity": "Java",
    "JSP": "Java",
}
_PUSHED_OUT = {
    "Spring Framework": ("Spring Boot",),
    "unittest": ("pytest",),
    "Go testing": ("Testify", "Ginkgo"),
    "pip": ("Poetry", "uv", "Pipenv", "PDM", "Hatch", "Conda"),
}
_RELEASE_WORDS = frozenset(("min", "slim", "umd", "prod", "bundle", "global", "all", "full"))
"""Suffixes in the file name of a released script, besides its version: ``jquery-3.7.1.slim.min.js``."""
_NATIVE_ONLY = frozenset(("GCC", "Clang", "Valgrind", "gcov", "AddressSanitizer", "cppcheck"))
"""Other projects have these on their runners too, only to install something."""
_TOOLS_OF = {
    "Python": frozenset(("pytest", "mypy", "ruff", "flake8", "pylint", "pyright", "isort", "tox", "uv", "poetry")),
    "Rust": frozenset(("clippy", "rustfmt", "cargo-deny", "cargo-audit", "cross-rs", "release-plz")),
    "Go": frozenset(("golangci-lint", "goreleaser", "gofmt", "staticcheck")),
}
"""Tools of a language in a pipeline count only if that language has a share."""
_TELLING = frozenset(
    (
        *("sdk", "tools", "hooks", "system-packages", "image-packages", "ci-images", "services", "database"),
        *("package-manager", "build-backend", "tool-version"),
    )
)
"""Signs that matter for the stack; most files have none of them."""


def tech_stack(codebase: Codebase) -> tuple[Tech, ...]:
    """The tech stack: languages by share, then by category and name."""
    spoken = languages(codebase)
    versions: dict[Technology, str | None] = {}
    own_names = _own_names(codebase)
    for sighting in _sightings(codebase, own_names, {tech.name for tech in spoken}):
        if not versions.get(sighting.technology):
            versions[sighting.technology] = sighting.version
    names = {technology.name for technology in versions} | {tech.name for tech in spoken}
    is_native = bool({"C", "C++"} & {tech.name for tech in spoken[:1]})
    found = [
        Tech(technology.name, version, technology.category)
        for technology, version in versions.items()
        if _NEEDS.get(technology.name, technology.name) in names
        and names.isdisjoint(_PUSHED_OUT.get(technology.name, ()))
        and (is_native or technology.name not in _NATIVE_ONLY)
    ]
    by_name = {tech.name for tech in found}
    found.extend(_with_versions(codebase, [tech for tech in spoken if tech.name not in by_name]))
    order = {tech.name: place for place, tech in enumerate(spoken) if tech.category == "language"}
    return tuple(
        sorted(
            found, key=lambda tech: (CATEGORIES.index(tech.category), order.get(tech.name, 0), tech.name.lower(), tech)
        )
    )


def packages(codebase: Codebase) -> tuple[Dependency, ...]:
    """Direct dependencies without duplicates, with exact versions from lock files if available."""
    return merged_packages(codebase)


def _own_names(codebase: Codebase) -> set[tuple[str, str]]:
    """Names of the codebase's own packages, which are not part of its stack."""
    ecosystems = {"package.json": "npm", "pyproject.toml": "pypi", "cargo.toml": "crates", "setup.py": "pypi"}
    names = set()
    for path, facts in codebase.files.items():
        ecosystem = ecosystems.get(path.rpartition("/")[2].lower())
        name = facts.signs.get("name")
        if ecosystem and name and area_of(path) == "own":
            names.add((ecosystem, plain_name(ecosystem, name)))
    return names


def _sightings(codebase: Codebase, own_names: set[tuple[str, str]], spoken: set[str]) -> Iterator[Detection]:
    itself = {
        technology
        for ecosystem, name in own_names
        for technology, _ in meanings_of(KIND_OF[ecosystem], name)
        if technology.name.lower().replace(".js", "") == name.replace(".js", "")
    }
    sources = (
        _by_dependency(codebase, own_names),
        _by_file(codebase),
        _by_sign(codebase, spoken),
        source_signals(codebase),
    )
    known: set[str] = set()
    product = codebase.name.casefold()
    for source in sources:
        for sighting in source:
            if sighting.technology not in itself and sighting.technology.name.casefold() != product:
                known.add(sighting.technology.name.casefold())
                yield sighting
    yield from (found for found in prominent_libraries(codebase) if found.technology.name.casefold() not in known)


def _by_dependency(codebase: Codebase, own_names: set[tuple[str, str]]) -> Iterator[Detection]:
    # Versions of runtime dependencies take precedence.
    for path, row in sorted(direct_dependencies(codebase), key=lambda found: found[1].is_dev):
        name = plain_name(row.ecosystem, row.name)
        if (row.ecosystem, name) in own_names or row.ecosystem not in KIND_OF:
            continue
        is_of_tests = area_of(path) == "test"
        for technology, has_version in meanings_of(KIND_OF[row.ecosystem], name):
            if is_of_tests and technology.category != "testing":
                continue
            if row.is_dev and not _counts_for_development(technology, row):
                continue
            yield Detection(technology, plain_version(row.version) if has_version else None)
        if row.ecosystem == "docker" and not is_of_tests:
            yield from detect("image", f"{name}:{row.version or ''}")
    for _, row in managed_dependencies(codebase):
        for technology, has_version in meanings_of(KIND_OF[row.ecosystem], plain_name(row.ecosystem, row.name)):
            if technology.category == "testing":
                yield Detection(technology, plain_version(row.version) if has_version else None)


def _counts_for_development(technology: Technology, row: Dependency) -> bool:
    if technology.category in _ALWAYS or row.name.startswith("plugin:"):
        return True
    # Half of all npm projects list bundled browser libraries as development dependencies.
    return technology.category in ("framework", "backend") and row.ecosystem == "npm"


def _by_file(codebase: Codebase) -> Iterator[Detection]:
    seen: set[tuple[str, str, bool]] = set()
    for path in codebase.paths:
        lower = path.lower()
        directory, _, base = lower.rpartition("/")
        yield from detect("path", lower)
        if "/" not in lower:
            yield from detect("root", base)
        area = area_of(path)
        is_handed_out = are_shipped(folders_of(directory))
        if (area == "foreign" and not is_handed_out) or (area, base, is_handed_out) in seen:
            continue
        seen.add((area, base, is_handed_out))
        for sighting in _by_name(base, is_handed_out=is_handed_out):
            category = sighting.technology.category
            allowed = ("testing",) if area == "test" else ("framework", "styling")
            if area == "own" or category in allowed:
                yield sighting
        if base.startswith(_COMPOSE) and base.endswith((".yml", ".yaml")) and area == "own":
            yield from detect("compose", "")


def _by_name(base: str, *, is_handed_out: bool) -> Iterator[Detection]:
    """The technologies that a file name indicates; scripts and styles also count without a version.

    A project's own ``clipboard.js`` is not the library: names without a version count only among served files.
    """
    yield from detect("file", base)
    stem, _, ending = base.rpartition(".")
    if ending in ("js", "css"):
        plain = _without_release(stem)
        for name in (f"{plain}.{ending}", f"{plain}.min.{ending}"):
            if name != base and (is_handed_out or plain != stem):
                yield from detect("file", name)


def _without_release(stem: str) -> str:
    while True:
        cut = max(stem.rfind(mark) for mark in "-._")
        last = stem[cut + 1 :]
        if cut <= 0 or not (last in _RELEASE_WORDS or last.removeprefix("v")[:1].isdigit()):
            return stem
        stem = stem[:cut]


def _by_sign(codebase: Codebase, spoken: set[str]) -> Iterator[Detection]:
    telling = [path for path, facts in codebase.files.items() if not _TELLING.isdisjoint(facts.signs)]
    for path in sorted(telling, key=lambda path: (path.count("/"), path)):
        signs = codebase.files[path].signs
        if area_of(path) == "foreign":
            continue
        sdk = list(detect("sdk", signs.get("sdk", "").lower().partition("/")[0]))
        if area_of(path) == "test":
            yield from (found for found in sdk if found.technology.category == "testing")
            continue
        yield from sdk
        unspoken = {tool for name, tools in _TOOLS_OF.items() if name not in spoken for tool in tools}
        is_pipeline = "ci" in signs or "targets" in signs
        for key in ("tools", "hooks"):
            for word in signs.get(key, "").lower().split(", "):
                yield from detect("tool", word) if not (is_pipeline and word in unspoken) else ()
        for word in signs.get("system-packages", "").split(", "):
            yield from detect("system", word)
        for word in signs.get("image-packages", "").split(", "):
            kind, _, name = word.partition(":")
            yield from detect(kind, plain_name(kind, name))
        for word in signs.get("ci-images", "").split(", "):
            yield from (found for found in detect("docker", word) if found.technology.category == "database")
        for word in signs.get("services", "").lower().split(", "):
            yield from detect("docker", word)
        for word in signs.get("database", "").split(", ") if not is_test(path) else ():
            yield from detect("db", word.lower().replace(" ", "_"))
        manager, _, version = signs.get("package-manager", "").partition("@")
        yield from detect("manager", manager.lower(), plain_version(version))
        yield from detect("backend", signs.get("build-backend", "").partition(".")[0])
        if "tool-version" in signs:
            yield from detect("versioned", path.rpartition("/")[2].lower(), plain_version(signs["tool-version"]))


def _with_versions(codebase: Codebase, spoken: list[Tech]) -> Iterator[Tech]:
    """Languages that come as packages carry their package's version."""
    bought = {"TypeScript": ("npm", "typescript"), "Kotlin": ("maven", "plugin:org.jetbrains.kotlin.jvm")}
    rows = direct_dependencies(codebase)
    for tech in spoken:
        wanted = bought.get(tech.name)
        versions = (plain_version(row.version) for _, row in rows if (row.ecosystem, row.name) == wanted)
        found = next((version for version in versions if version), None)
        yield Tech(tech.name, tech.version or found, tech.category)
