"""The table of technologies as a lookup: from a sign such as ``npm:react`` or ``file:tailwind.config.*`` to a name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, get_args

from cairn.memory.codebase.records import Category
from cairn.memory.codebase.stack import (
    further,
    further_backend,
    further_dotnet,
    further_managed,
    native,
    scripted,
    scripted_backend,
    systems,
    tools_by_file,
    tools_by_package,
    upkeep,
    wider_databases,
    wider_frameworks,
    wider_libraries,
    wider_services,
)
from cairn.memory.codebase.stack.backend import BACKEND
from cairn.memory.codebase.stack.browser import BROWSER
from cairn.memory.codebase.stack.compiled import COMPILED, SERVICES
from cairn.memory.codebase.stack.databases import DATABASES
from cairn.memory.codebase.stack.frameworks import FRAMEWORKS
from cairn.memory.codebase.stack.libraries import LIBRARIES
from cairn.memory.codebase.stack.styling import STYLING
from cairn.memory.codebase.stack.templating import NOTATIONS, STYLES, TEMPLATING
from cairn.memory.codebase.stack.testing import TESTING
from cairn.memory.codebase.stack.tooling import TOOLING

CATEGORIES: tuple[Category, ...] = ("language", "framework", "styling", "backend", "database", "testing", "tooling")
assert set(CATEGORIES) == set(get_args(Category))

KIND_OF = {
    "pypi": "pypi",
    "npm": "npm",
    "rubygems": "gem",
    "packagist": "php",
    "crates": "crate",
    "go": "go",
    "maven": "maven",
    "nuget": "nuget",
    "docker": "docker",
    "cmake": "c",
    "conan": "c",
    "vcpkg": "c",
}
"""What the table calls an ecosystem."""

_EMBEDDED = frozenset(
    (
        *("H2", "HSQLDB", "Apache Derby", "DuckDB", "RocksDB", "LevelDB", "sled", "Badger", "BoltDB", "LiteDB"),
        *("PouchDB", "Chroma", "Firebase", "Supabase"),
    )
)
_SERVERS = frozenset(
    (
        *("Kafka", "RabbitMQ", "NATS", "MQTT", "ZeroMQ", "Prometheus", "StatsD", "Sentry", "Stripe", "AWS SDK"),
        *("MinIO", "OpenAI", "Anthropic", "Keycloak", "Temporal", "Hazelcast", "OpenTelemetry", "gRPC"),
    )
)
_FURTHER = further_backend.SCRIPTED + further_backend.COMPILED + further_managed.BACKEND
_FEWER = (
    scripted_backend.BACKEND
    + systems.BACKEND
    + further_dotnet.BACKEND
    + wider_services.BACKEND
    + wider_libraries.BACKEND
)
"""Met less often than those."""
_TOOLS = tools_by_file.TOOLING + tools_by_package.TOOLING
_FRAMEWORKS = (
    FRAMEWORKS
    + BROWSER
    + TEMPLATING
    + native.FRAMEWORKS
    + further.FRAMEWORKS
    + scripted.FRAMEWORKS
    + systems.FRAMEWORKS
    + wider_frameworks.FRAMEWORKS
)
_MAJOR_PATH = re.compile(r"/v\d{1,3}$")


class Technology(NamedTuple):
    """An entry of the table."""

    name: str
    category: Category


class Sighting(NamedTuple):
    """A technology that something in the codebase shows."""

    technology: Technology
    version: str | None


class Meaning(NamedTuple):
    """What a sign stands for, and whether the version of what bears the sign is the technology's own."""

    technology: Technology
    has_version: bool


@dataclass(frozen=True, slots=True)
class _Lookup:
    exact: dict[str, tuple[Meaning, ...]]
    shapes: dict[str, tuple[tuple[re.Pattern[str], Meaning], ...]]
    """By kind: signs with a star."""


def _rows(text: str) -> list[tuple[str, list[str]]]:
    """Name and signs of each entry; a line that begins with a blank goes on with the one before."""
    rows: list[tuple[str, list[str]]] = []
    for line in filter(None, text.splitlines()):
        if line.startswith(" "):
            rows[-1][1].extend(line.split())
        else:
            name, _, signs = line.partition("|")
            rows.append((name.strip(), signs.split()))
    return rows


def _lookup() -> _Lookup:
    exact: dict[str, tuple[Meaning, ...]] = {}
    shapes: dict[str, tuple[tuple[re.Pattern[str], Meaning], ...]] = {}
    tables: tuple[tuple[Category, str], ...] = (
        ("framework", _FRAMEWORKS),
        ("styling", STYLING + STYLES + further.STYLING + scripted.STYLING + wider_frameworks.STYLING),
        ("backend", BACKEND + LIBRARIES + COMPILED + SERVICES + native.BACKEND + _FURTHER + _FEWER),
        ("database", DATABASES + further_managed.DATABASES + wider_databases.DATABASES),
        ("testing", TESTING + further.TESTING + upkeep.TESTING + wider_databases.TESTING),
        ("tooling", TOOLING + NOTATIONS + further.TOOLING + upkeep.TOOLING + _TOOLS),
    )
    for category, text in tables:
        for name, signs in _rows(text):
            technology = Technology(name, category)
            for written in signs:
                sign, kind = written.rstrip("~"), written.partition(":")[0]
                # A client's version is not its server's: only an image tells that one.
                is_of_server = name in _SERVERS or (category == "database" and name not in _EMBEDDED)
                has_version = not written.endswith("~") and (kind == "docker" or not is_of_server)
                meaning = Meaning(technology, has_version)
                if "*" in sign:
                    pattern = re.compile(re.escape(sign).replace(r"\*", r"[^\n]{0,300}"))
                    shapes[kind] = (*shapes.get(kind, ()), (pattern, meaning))
                else:
                    exact[sign] = (*exact.get(sign, ()), meaning)
    return _Lookup(exact, shapes)


_LOOKUP = _lookup()


@lru_cache(maxsize=32_768)
def meanings_of(kind: str, word: str) -> tuple[Meaning, ...]:
    """The technologies that a sign stands for; none where it is not known."""
    sign = f"{kind}:{word}"
    shaped = tuple(meaning for pattern, meaning in _LOOKUP.shapes.get(kind, ()) if pattern.fullmatch(sign))
    return _LOOKUP.exact.get(sign, ()) + shaped


def words_of(kind: str) -> frozenset[str]:
    """All words without a star that the table knows of this kind."""
    return frozenset(sign[len(kind) + 1 :] for sign in _LOOKUP.exact if sign.startswith(f"{kind}:"))


def sightings(kind: str, word: str, version: str | None = None) -> Iterator[Sighting]:
    """What a sign shows, with the version that is known of it."""
    return (Sighting(technology, version) for technology, _ in meanings_of(kind, word))


def plain_name(ecosystem: str, name: str) -> str:
    """A package's name in the one form that its ecosystem and the table compare by."""
    if ecosystem == "npm":
        return name
    lower = name.lower()
    if ecosystem == "pypi":
        return re.sub(r"[-_.]{1,20}", "-", lower)
    return _MAJOR_PATH.sub("", lower) if ecosystem == "go" else lower


def size_of_table() -> int:
    """How many technologies the table knows."""
    shaped = [meaning for rows in _LOOKUP.shapes.values() for _, meaning in rows]
    exact = [meaning for meanings in _LOOKUP.exact.values() for meaning in meanings]
    return len({meaning.technology for meaning in (*shaped, *exact)})
