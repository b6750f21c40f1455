"""Looks up technologies by signs such as ``npm:react`` or ``file:tailwind.config.*``.

``tables`` has one file per category and one line per technology: its name, and after a bar its signs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import NamedTuple, get_args

from loremark.memory.codebase.records import Category

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
    "hex": "hex",
    "pub": "pub",
    "swift": "swift",
}
"""The tables' names of the ecosystems."""

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
_MAJOR_PATH = re.compile(r"/v\d{1,3}$")


class Technology(NamedTuple):
    """A technology from the tables."""

    name: str
    category: Category


class Detection(NamedTuple):
    """A technology detected in the codebase."""

    technology: Technology
    version: str | None


class Meaning(NamedTuple):
    """The technology a sign indicates, and whether the sign's version is the technology's version."""

    technology: Technology
    has_version: bool


@dataclass(frozen=True, slots=True)
class _Lookup:
    exact: dict[str, tuple[Meaning, ...]]
    shapes: dict[str, tuple[tuple[re.Pattern[str], Meaning], ...]]
    """Signs with a wildcard, by kind."""
    shaped: dict[str, re.Pattern[str]]
    """All wildcards of a kind combined, because most words match none."""


def _rows(text: str) -> list[tuple[str, list[str]]]:
    """Name and signs of each entry; a line that starts with whitespace continues the previous one."""
    rows: list[tuple[str, list[str]]] = []
    for line in filter(None, text.splitlines()):
        if line.startswith(" "):
            rows[-1][1].extend(line.split())
        else:
            name, _, signs = line.partition("|")
            rows.append((name.strip(), signs.split()))
    return rows


@cache
def _lookup() -> _Lookup:
    """Loads the tables on first use."""
    exact: dict[str, tuple[Meaning, ...]] = {}
    shapes: dict[str, tuple[tuple[re.Pattern[str], Meaning], ...]] = {}
    for category in CATEGORIES[1:]:
        text = resources.files(__package__).joinpath("tables", f"{category}.txt").read_text(encoding="utf-8")
        for name, signs in _rows(text):
            technology = Technology(name, category)
            for written in signs:
                sign, kind = written.rstrip("~"), written.partition(":")[0]
                # A client's version is not its server's; only an image shows that.
                is_of_server = name in _SERVERS or (category == "database" and name not in _EMBEDDED)
                has_version = not written.endswith("~") and (kind == "docker" or not is_of_server)
                meaning = Meaning(technology, has_version)
                if "*" in sign:
                    pattern = re.compile(re.escape(sign).replace(r"\*", r"[^\n]{0,300}"))
                    shapes[kind] = (*shapes.get(kind, ()), (pattern, meaning))
                else:
                    exact[sign] = (*exact.get(sign, ()), meaning)
    shaped = {kind: re.compile("|".join(pattern.pattern for pattern, _ in rows)) for kind, rows in shapes.items()}
    return _Lookup(exact, shapes, shaped)


@lru_cache(maxsize=32_768)
def meanings_of(kind: str, word: str) -> tuple[Meaning, ...]:
    """The technologies that a sign indicates; empty if unknown."""
    sign = f"{kind}:{word}"
    lookup = _lookup()
    exact, shaped = lookup.exact.get(sign, ()), lookup.shaped.get(kind)
    if shaped is None or shaped.fullmatch(sign) is None:
        return exact
    return exact + tuple(meaning for pattern, meaning in lookup.shapes[kind] if pattern.fullmatch(sign))


@cache
def words_of(kind: str) -> frozenset[str]:
    """All words of this kind without wildcards."""
    return frozenset(sign[len(kind) + 1 :] for sign in _lookup().exact if sign.startswith(f"{kind}:"))


def detect(kind: str, word: str, version: str | None = None) -> Sequence[Detection]:
    """The technologies that a sign indicates, with versions; empty for most signs."""
    meanings = meanings_of(kind, word)
    return [Detection(technology, version) for technology, _ in meanings] if meanings else ()


def plain_name(ecosystem: str, name: str) -> str:
    """A package name normalized for comparison in its ecosystem."""
    if ecosystem == "npm":
        return name
    lower = name.lower()
    if ecosystem == "pypi":
        return re.sub(r"[-_.]{1,20}", "-", lower)
    return _MAJOR_PATH.sub("", lower) if ecosystem == "go" else lower


def size_of_table() -> int:
    """The number of technologies in the tables."""
    shaped = [meaning for rows in _lookup().shapes.values() for _, meaning in rows]
    exact = [meaning for meanings in _lookup().exact.values() for meaning in meanings]
    return len({meaning.technology for meaning in (*shaped, *exact)})
