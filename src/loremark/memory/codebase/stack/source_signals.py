"""Detects technologies from the sources: imports, includes, file and folder names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from loremark.memory.codebase.manifests.versions import plain_version
from loremark.memory.codebase.records import Codebase, FileFacts
from loremark.memory.codebase.stack.language_shares import line_counts
from loremark.memory.codebase.stack.scope import are_auxiliary, area_of, folders_of, is_source, is_test, is_vendored
from loremark.memory.codebase.stack.technologies import Detection, Technology, detect, words_of

_VENDOR_FOLDERS = frozenset(("deps", "third_party", "third-party", "thirdparty", "3rdparty", "external", "vendor"))
_BACKEND_FOLDERS = frozenset(
    (
        *("backends", "drivers", "dialects", "adapters", "db", "database", "databases", "migrations"),
        *("storage", "store", "persistence", "repository", "repositories", "datastore", "sql", "schemas"),
        *("schema", "backend", "driver", "dialect", "adapter", "engines", "stores", "connectors", "connections"),
    )
)
_DATABASE_FOLDERS = {
    "postgres": "postgresql",
    "postgresql": "postgresql",
    "mysql": "mysql",
    "mariadb": "mariadb",
    "sqlite": "sqlite",
    "sqlite3": "sqlite",
    "psql": "postgresql",
    "pgsql": "postgresql",
    "cockroachdb": "cockroachdb",
    "oracle": "oracle_database",
    "mssql": "sql_server",
    "sqlserver": "sql_server",
    "mongodb": "mongodb",
    "elasticsearch": "elasticsearch",
    "opensearch": "opensearch",
    "cassandra": "cassandra",
    "clickhouse": "clickhouse",
    "timescale": "timescaledb",
    "timescaledb": "timescaledb",
}
_MAX_TOGETHER = 9
"""More databases than this side by side are data sources to connect to, not part of the stack."""
_BETWEEN_WORDS = re.compile(r"[-_.]")
_MODULES = {
    **dict.fromkeys(("java", "kotlin", "php"), "package"),
    "python": "import",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "module"),
}
_INCLUDING = frozenset(("c", "cpp", "header"))
_FEWEST_IMPORTS = {"sqlite3": 1, "unittest": 5}
_FEWEST_ENDINGS = {
    "y": 1,
    "l": 1,
    "g4": 1,
    "pc.in": 1,
    "tf": 1,
    "proto": 1,
    "_test.go": 3,
    "app/models/rb": 1,
    "bats": 1,
    "datasource": 2,
    "service": 1,
    "scss": 8,
    "sass": 8,
    "less": 8,
}
_FEWEST_OF_FOLDER = 8
_PROJECTS_OF_NET = (".csproj", ".fsproj", ".vbproj", "directory.build.props")
_TEST_SUFFIXES = ("_test.go", "_test.rb", "_spec.rb")


def source_signals(codebase: Codebase) -> Iterator[Detection]:
    """Technologies detected in sources, and the runtimes of JavaScript and .NET."""
    counts = line_counts(codebase)
    is_native = bool(set(list(counts)[:1]) & {"C", "C++"})
    yield from _imports(codebase)
    yield from _endings(codebase)
    for database in _database_folders(codebase):
        yield from detect("db", database)
    if is_native:
        yield from _includes(codebase)
        for folder in _vendored_libraries(codebase):
            yield from detect("c", folder)
    script = sum(counts.get(name, (0, 0))[0] for name in ("JavaScript", "TypeScript"))
    if script * 10 >= sum(lines for lines, _ in counts.values()) and script:
        yield from _node(codebase)
    yield from _dotnet(codebase)


def _imports(codebase: Codebase) -> Iterator[Detection]:
    """Modules that no manifest lists: from a standard library, or included with a framework."""
    known = {kind: words_of(kind) for kind in set(_MODULES.values())}
    seen: dict[str, dict[str, frozenset[str]]] = {kind: {} for kind in known}
    counted: dict[tuple[str, str, bool], int] = {}
    for path, facts in codebase.files.items():
        kind = _MODULES.get(facts.language or "")
        if kind is None or not facts.imports or is_vendored(path) or area_of(path) == "foreign":
            continue
        words = _known_to(facts, known[kind], seen[kind])
        is_of_tests = bool(words) and is_test(path)
        for word in words:
            key = (kind, word, is_of_tests)
            counted[key] = counted.get(key, 0) + 1
    for (kind, word, is_of_tests), files in sorted(counted.items()):
        if files < _FEWEST_IMPORTS.get(word, 2):
            continue
        for sighting in detect(kind, word):
            if is_of_tests == (sighting.technology.category == "testing"):
                yield sighting


def _known_to(facts: FileFacts, known: frozenset[str], seen: dict[str, frozenset[str]]) -> set[str]:
    """Which known modules a file imports; cached, because many files have the same imports."""
    found: set[str] = set()
    for row in facts.imports:
        words = seen.get(row.target)
        if words is None:
            words = seen[row.target] = known.intersection(_above(row.target))
        if words:
            found |= words
    return found


@lru_cache(maxsize=16_384)
def _above(module: str) -> tuple[str, ...]:
    """A module and the packages above it: ``a``, ``a.b``, ``a.b.c``."""
    parts = module.lower().replace("\\", ".").split(".", 4)[:4]
    return tuple(".".join(parts[:size]) for size in range(1, len(parts) + 1))


def _includes(codebase: Codebase) -> Iterator[Detection]:
    """Headers of libraries that the sources include but do not bundle."""
    own = {path.rpartition("/")[2].lower() for path in codebase.paths if path.lower().endswith((".h", ".hpp"))}
    seen: set[str] = set()
    for path, facts in sorted(codebase.files.items()):
        if facts.language not in _INCLUDING or is_vendored(path) or area_of(path) == "foreign":
            continue
        for row in facts.imports:
            header = row.target.lower()
            key = header if not is_test(path) else f"test {header}"
            if key in seen or header.rpartition("/")[2] in own or len(seen) >= 5_000:
                continue
            seen.add(key)
            for sighting in detect("include", header):
                if not is_test(path) or sighting.technology.category == "testing":
                    yield sighting


def _endings(codebase: Codebase) -> Iterator[Detection]:
    """Template and markup languages by file extension, and libraries with their own folder."""
    endings, folders = words_of("ending"), words_of("folder")
    counted: dict[str, int] = {}
    kept: dict[str, int] = {}
    for path in codebase.paths:
        if not is_source(path):
            continue
        lower = path.lower()
        directory, _, base = lower.rpartition("/")
        parents = folders_of(directory)
        for word in endings.intersection(_words_of(base, parents, lower.startswith("app/models/"))):
            counted[word] = counted.get(word, 0) + 1
        for folder in folders & parents:
            kept[folder] = kept.get(folder, 0) + 1
    for word, files in sorted(counted.items()):
        if files >= _FEWEST_ENDINGS.get(word, 3):
            yield from detect("ending", word)
    for folder, files in sorted(kept.items()):
        if files >= _FEWEST_OF_FOLDER:
            yield from detect("folder", folder)


def _words_of(base: str, parents: frozenset[str], is_model: bool) -> list[str]:
    """What identifies a file: its extensions and its folders."""
    tail = base.rsplit(".", 2)
    ending = tail[-1]
    words = [suffix for suffix in _TEST_SUFFIXES if base.endswith(suffix)] if base.endswith(_TEST_SUFFIXES) else []
    if not are_auxiliary(parents):
        words += (ending, ".".join(tail[-2:]))
    if ending == "html" and "templates" in parents:
        words.append("templates/html")
    if is_model:
        words.append(f"app/models/{ending}")
    return words


def _database_folders(codebase: Codebase) -> list[str]:
    """Databases with their own folder or file among others (``db/backends/postgresql/``)."""
    found: dict[str, int] = {}
    together: dict[str, set[str]] = {}
    for path, facts in codebase.files.items():
        directory, _, base = path.lower().rpartition("/")
        databases, keeps_data = _kept_in(directory)
        if not databases and not keeps_data:
            continue
        is_code = facts.language == "sql" or bool(facts.symbols or facts.imports)
        if facts.language is None or not is_code or area_of(path) != "own" or is_test(path):
            continue
        for database in databases:
            found[database] = found.get(database, 0) + 1
        if keeps_data:
            words = _BETWEEN_WORDS.split(base)[:-1]
            named = {_DATABASE_FOLDERS[word] for word in words if word in _DATABASE_FOLDERS}
            together.setdefault(directory, set()).update(named)
    of_files = [names for names in together.values() if 2 <= len(names) <= _MAX_TOGETHER]
    return sorted({database for database, files in found.items() if files >= 2}.union(*of_files))


@lru_cache(maxsize=4_096)
def _kept_in(directory: str) -> tuple[frozenset[str], bool]:
    """The databases whose folders contain a directory, and whether it is a directory of such folders or files."""
    folders = directory.split("/")
    places = [at for at, part in enumerate(folders[1:], 1) if part in _DATABASE_FOLDERS]
    databases = frozenset(_DATABASE_FOLDERS[folders[at]] for at in places if _keeps_data(folders[at - 1]))
    return databases, bool(directory) and _keeps_data(folders[-1])


def _keeps_data(folder: str) -> bool:
    return folder in _BACKEND_FOLDERS or _BETWEEN_WORDS.split(folder)[-1] in _BACKEND_FOLDERS


def _vendored_libraries(codebase: Codebase) -> list[str]:
    parts = (path.lower().split("/") for path in codebase.paths if path.count("/") >= 2)
    return sorted({folders[1] for folders in parts if folders[0] in _VENDOR_FOLDERS})


def _node(codebase: Codebase) -> Iterator[Detection]:
    for path in sorted(codebase.files, key=lambda path: (path.count("/"), path)):
        facts = codebase.files[path]
        base = path.rpartition("/")[2].lower()
        if area_of(path) != "own":
            continue
        if base in ("package.json", ".nvmrc", ".node-version") and "language-version" in facts.signs:
            yield from detect("runtime", "node", plain_version(facts.signs["language-version"]))
        if "node" in facts.signs.get("ci-languages", "").split(", "):
            yield from detect("runtime", "node")
        for row in facts.dependencies:
            if row.ecosystem == "docker" and row.name == "node":
                yield from detect("runtime", "node", plain_version(row.version))


def _dotnet(codebase: Codebase) -> Iterator[Detection]:
    projects = [path for path in codebase.files if path.lower().endswith(_PROJECTS_OF_NET)]
    for path in sorted(projects, key=lambda path: (path.count("/"), path)):
        said = codebase.files[path].signs.get("language-version", "")
        if area_of(path) == "own":
            target = said.split(";")[0].removeprefix("netcoreapp").removeprefix("net")
            version = plain_version(target) if "standard" not in target else None
            yield Detection(Technology(".NET", "framework"), version)
