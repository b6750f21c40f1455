"""Databases that a project's own settings name: Prisma, Rails, Spring, Django, and examples of an environment."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cairn.memory.codebase.manifests.documents import lines_of
from cairn.memory.codebase.manifests.facts import Draft, ManifestFacts

_SAID = re.compile(
    r"django\.(?:contrib\.gis\.)?db\.backends\.(\w{2,30})"
    r"|env\([\"']DB_CONNECTION[\"'],\s{0,4}[\"'](\w{2,30})"
    r"|[\"']driver[\"']\s{0,12}=>\s{0,4}[\"'](\w{2,30})[\"']"
    r"|\bjdbc:(?:tc:)?(\w{2,30}):"
    r"|\bpdo_(mysql|pgsql|sqlite|sqlsrv)\b"
    r"|^\s{0,20}[\"']?(?:adapter|dialect|provider|client|type|driver|DB_CONNECTION|(?:DB|DATABASE)_(?:TYPE|CLIENT|DRIVER|ENGINE|DIALECT))"
    r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?(\w{2,30}(?:-sqlite3)?)"
    r"|\b(postgres|postgresql|mysql|mysql2|mariadb|mongodb|mongodb\+srv|sqlite|redis|rediss|sqlserver|amqp|cockroachdb)(?:\+\w{1,20})?://",
    re.IGNORECASE,
)
_NAMES = {
    "PostgreSQL": "pg postgres postgresql postgis psql pgsql postgresql_psycopg2",
    "MySQL": "mysql mysql2 trilogy",
    "MariaDB": "mariadb",
    "SQLite": "sqlite sqlite3 better-sqlite3 spatialite",
    "Oracle Database": "oracle oracle_enhanced",
    "SQL Server": "sqlserver mssql sqlsrv",
    "H2": "h2",
    "HSQLDB": "hsqldb",
    "MongoDB": "mongo mongodb mongodb+srv",
    "Redis": "redis rediss",
    "CockroachDB": "cockroachdb",
    "ClickHouse": "clickhouse ch",
    "Apache Derby": "derby",
    "RabbitMQ": "amqp rabbitmq",
    "Elasticsearch": "elasticsearch",
    "OpenSearch": "opensearch",
    "Memcached": "memcached memcache",
    "Meilisearch": "meilisearch",
    "Typesense": "typesense",
    "Cassandra": "cassandra",
    "Kafka": "kafka",
}
_VARIABLE = re.compile(r"\s{0,4}(?:export\s{1,4})?([A-Z]{4,15})_[A-Z0-9_]{2,40}\s{0,2}=")
_NAME_OF = {word: name for name, words in _NAMES.items() for word in words.split()}


def read_database_settings(path: str, content: str) -> ManifestFacts:
    """Which databases the settings speak of, comments left out."""
    draft = Draft("database")
    draft.says("database", databases_in(line for _, line in lines_of(content)))
    return draft.facts()


def read_environment(path: str, content: str) -> ManifestFacts:
    """``.env.example`` and its kin: addresses, and variables that bear the name of what they are for."""
    draft = Draft("database")
    lines = [line for _, line in lines_of(content)]
    variables = (_VARIABLE.match(line) for line in lines)
    named = (_NAME_OF.get(found.group(1).lower()) for found in variables if found is not None)
    draft.says("database", list(dict.fromkeys([*databases_in(lines), *(name for name in named if name)])))
    return draft.facts()


def databases_in(lines: Iterable[str]) -> list[str]:
    """The databases that these lines name, in their order."""
    found: dict[str, None] = {}
    for line in lines:
        if line.lstrip()[:2] in ("//", "--") or line.lstrip()[:1] == "#":
            continue
        for groups in _SAID.findall(line):
            name = _NAME_OF.get(next((group for group in groups if group), "").lower())
            if name is not None:
                found[name] = None
    return list(found)
