"""The tech stack of a codebase: what its manifests, its files and its settings say, put into the names people use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from cairn.memory.codebase.manifests.versions import plain_version
from cairn.memory.codebase.records import Category, Codebase, Dependency, Tech
from cairn.memory.codebase.stack.merging import direct_dependencies, merged_packages
from cairn.memory.codebase.stack.scope import area_of, is_test, is_vendored
from cairn.memory.codebase.stack.shares import languages, line_counts
from cairn.memory.codebase.stack.technologies import (
    CATEGORIES,
    KIND_OF,
    Technology,
    meanings_of,
    plain_name,
)

_ALWAYS: frozenset[Category] = frozenset(("testing", "tooling", "styling"))
"""Here a dependency for development counts as much as any other."""
_COMPOSE = ("docker-compose", "compose.", "podman-compose")
_NEEDS = {"shadcn/ui": "Tailwind CSS"}
_PUSHED_OUT = {"Spring Framework": "Spring Boot", "unittest": "pytest"}
_VENDOR_FOLDERS = frozenset(("deps", "third_party", "third-party", "thirdparty", "3rdparty", "external", "vendor"))
_BACKEND_FOLDERS = frozenset(("backends", "drivers", "dialects", "adapters", "db", "database", "databases", "store"))
_DATABASE_FOLDERS = {
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "mysql": "mysql",
    "mariadb": "mariadb",
    "sqlite": "sqlite",
    "sqlite3": "sqlite",
    "oracle": "oracle_database",
    "mssql": "sql_server",
    "sqlserver": "sql_server",
    "mongodb": "mongodb",
}
_IMPORTS = {"sqlite3": 1, "unittest": 5}
"""Modules of the standard library that say something, and in how many files."""


class _Sighting(NamedTuple):
    technology: Technology
    version: str | None


def tech_stack(codebase: Codebase) -> tuple[Tech, ...]:
    """The stack as one page would list it: languages by share, then by category and name."""
    spoken = languages(codebase)
    versions: dict[Technology, str | None] = {}
    own_names = _own_names(codebase)
    for sighting in _sightings(codebase, own_names):
        if not versions.get(sighting.technology):
            versions[sighting.technology] = sighting.version
    names = {technology.name for technology in versions}
    found = [
        Tech(technology.name, version, technology.category)
        for technology, version in versions.items()
        if _NEEDS.get(technology.name, technology.name) in names and _PUSHED_OUT.get(technology.name) not in names
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
    """Direct dependencies, each once, with the exact versions of lock files where there are any."""
    return merged_packages(codebase)


def _own_names(codebase: Codebase) -> set[tuple[str, str]]:
    """Names of the packages that the codebase itself makes: it is not built with itself."""
    ecosystems = {"package.json": "npm", "pyproject.toml": "pypi", "cargo.toml": "crates", "setup.py": "pypi"}
    names = set()
    for path, facts in codebase.files.items():
        ecosystem = ecosystems.get(path.rpartition("/")[2].lower())
        name = facts.signs.get("name")
        if ecosystem and name and area_of(path) == "own":
            names.add((ecosystem, plain_name(ecosystem, name)))
    return names


def _sightings(codebase: Codebase, own_names: set[tuple[str, str]]) -> Iterator[_Sighting]:
    itself = {
        technology
        for ecosystem, name in own_names
        for technology, _ in meanings_of(KIND_OF[ecosystem], name)
        if technology.name.lower().replace(".js", "") == name.replace(".js", "")
    }
    sources = (_by_dependency(codebase, own_names), _by_file(codebase), _by_sign(codebase), _by_code(codebase))
    for source in sources:
        yield from (sighting for sighting in source if sighting.technology not in itself)


def _by_dependency(codebase: Codebase, own_names: set[tuple[str, str]]) -> Iterator[_Sighting]:
    # What is needed to run has the first say on versions.
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
            yield _Sighting(technology, plain_version(row.version) if has_version else None)


def _counts_for_development(technology: Technology, row: Dependency) -> bool:
    if technology.category in _ALWAYS or row.name.startswith("plugin:"):
        return True
    # What is bundled for a browser stands among npm's development dependencies in half of all projects.
    return technology.category == "framework" and row.ecosystem == "npm"


def _by_file(codebase: Codebase) -> Iterator[_Sighting]:
    seen: set[tuple[str, str]] = set()
    for path in codebase.paths:
        lower = path.lower()
        base = lower.rpartition("/")[2]
        yield from _technologies("path", lower)
        if "/" not in lower:
            yield from _technologies("root", base)
        area = area_of(path)
        if area == "foreign" or (area, base) in seen:
            continue
        seen.add((area, base))
        for sighting in _technologies("file", base):
            if area == "own" or sighting.technology.category == "testing":
                yield sighting
        if base.startswith(_COMPOSE) and base.endswith((".yml", ".yaml")) and area == "own":
            yield from _technologies("compose", "")


def _by_sign(codebase: Codebase) -> Iterator[_Sighting]:
    for path in sorted(codebase.files, key=lambda path: (path.count("/"), path)):
        signs = codebase.files[path].signs
        if not signs or area_of(path) != "own":
            continue
        for key in ("tools", "hooks"):
            for word in signs.get(key, "").split(", "):
                yield from _technologies("tool", word.lower())
        for word in signs.get("database", "").split(", ") if not is_test(path) else ():
            yield from _technologies("db", word.lower().replace(" ", "_"))
        manager, _, version = signs.get("package-manager", "").partition("@")
        yield from _technologies("manager", manager.lower(), plain_version(version))
        yield from _technologies("backend", signs.get("build-backend", "").partition(".")[0])
        yield from _technologies("sdk", signs.get("sdk", "").lower())
        if "tool-version" in signs:
            yield from _technologies("versioned", path.rpartition("/")[2].lower(), plain_version(signs["tool-version"]))


def _by_code(codebase: Codebase) -> Iterator[_Sighting]:
    """Signs in the source itself: modules of the standard library, vendored C libraries, the runtime of JavaScript."""
    counts = line_counts(codebase)
    importing = dict.fromkeys(_IMPORTS, 0)
    for path, facts in codebase.files.items():
        if facts.language != "python" or is_vendored(path) or area_of(path) == "foreign":
            continue
        for module in {row.target.partition(".")[0] for row in facts.imports} & importing.keys():
            importing[module] += is_test(path) == (module == "unittest")
    for module, files in importing.items():
        if files >= _IMPORTS[module]:
            yield from _technologies("import", module)
    for database in _database_folders(codebase):
        yield from _technologies("db", database)
    if set(list(counts)[:1]) & {"C", "C++"}:
        for folder in _vendored_libraries(codebase):
            yield from _technologies("c", folder)
    script = sum(counts.get(name, (0, 0))[0] for name in ("JavaScript", "TypeScript"))
    if script * 10 >= sum(lines for lines, _ in counts.values()) and script:
        yield from _node(codebase)
    yield from _dotnet(codebase)


def _database_folders(codebase: Codebase) -> list[str]:
    """Databases with a folder of their own among others of their kind (``db/backends/postgresql/``)."""
    found: dict[str, int] = {}
    for path, facts in codebase.files.items():
        parts = path.lower().split("/")
        if len(parts) < 3 or facts.language is None or area_of(path) != "own" or is_test(path):
            continue
        database = _DATABASE_FOLDERS.get(parts[-2])
        if database is not None and parts[-3] in _BACKEND_FOLDERS and facts.symbols + facts.imports:
            found[database] = found.get(database, 0) + 1
    return sorted(database for database, files in found.items() if files >= 2)


def _vendored_libraries(codebase: Codebase) -> list[str]:
    parts = (path.lower().split("/") for path in codebase.paths if path.count("/") >= 2)
    return sorted({folders[1] for folders in parts if folders[0] in _VENDOR_FOLDERS})


def _node(codebase: Codebase) -> Iterator[_Sighting]:
    for path in sorted(codebase.files, key=lambda path: (path.count("/"), path)):
        facts = codebase.files[path]
        base = path.rpartition("/")[2].lower()
        if area_of(path) != "own":
            continue
        if base in ("package.json", ".nvmrc", ".node-version") and "language-version" in facts.signs:
            yield from _technologies("runtime", "node", plain_version(facts.signs["language-version"]))
        for row in facts.dependencies:
            if row.ecosystem == "docker" and row.name == "node":
                yield from _technologies("runtime", "node", plain_version(row.version))


def _dotnet(codebase: Codebase) -> Iterator[_Sighting]:
    for path in sorted(codebase.files, key=lambda path: (path.count("/"), path)):
        said = codebase.files[path].signs.get("language-version", "")
        if path.lower().endswith((".csproj", ".fsproj", ".vbproj", "directory.build.props")) and area_of(path) == "own":
            target = said.split(";")[0].removeprefix("netcoreapp").removeprefix("net")
            version = plain_version(target) if "standard" not in target else None
            yield _Sighting(Technology(".NET", "framework"), version)


def _with_versions(codebase: Codebase, spoken: list[Tech]) -> Iterator[Tech]:
    """Languages that come as packages carry their package's version."""
    bought = {"TypeScript": ("npm", "typescript"), "Kotlin": ("maven", "plugin:org.jetbrains.kotlin.jvm")}
    rows = direct_dependencies(codebase)
    for tech in spoken:
        wanted = bought.get(tech.name)
        versions = (plain_version(row.version) for _, row in rows if (row.ecosystem, row.name) == wanted)
        found = next((version for version in versions if version), None)
        yield Tech(tech.name, tech.version or found, tech.category)


def _technologies(kind: str, word: str, version: str | None = None) -> Iterator[_Sighting]:
    return (_Sighting(technology, version) for technology, _ in meanings_of(kind, word))
