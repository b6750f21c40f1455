"""Finds databases in settings: Prisma, Rails, Spring, Django, example environment files."""

from __future__ import annotations

import re
from collections.abc import Iterable

from loremark.memory.codebase.manifests.facts import Draft, ManifestFacts
from loremark.memory.codebase.manifests.formats import lines_of

_SAID = re.compile(
    r"django\.(?:contrib\.gis\.)?db\.backends\.(\w{2,30})"
    r"|env\([\"']DB_CONNECTION[\"'],\s{0,4}[\"'](\w{2,30})"
    r"|[\"']driver[\"']\s{0,12}=>\s{0,4}[\"'](\w{2,30})[\"']"
    r"|\bjdbc:(?:tc:)?(\w{2,30}):"
    r"|\bpdo_(mysql|pgsql|sqlite|sqlsrv)\b"
    r"|^\s{0,20}[\"']?(?:adapter|dialect|provider|client|type|driver|DB_CONNECTION|(?:DB|DATABASE)_(?:TYPE|CLIENT|DRIVER|ENGINE|DIALECT))"
    r"[\"']?\s{0,4}[:=]\s{0,4}[\"']?(\w{2,30}(?:-sqlite3)?)"
    r"|\b(mongodb\+srv|[a-z]{2,15}\d?)(?:\+\w{1,20}){0,2}://"
    r"|\b(sqlite)3?:(?=[/.:\w%$\"'])",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:\b(?:localhost|127\.0\.0\.1|host\.docker\.internal)|(?<![\w.-])(?:[\w-]{1,20}-)?(?:redis|mongo(?:db)?|rabbit(?:mq)?|"
    r"kafka|memcached?|nats)(?:-[\w-]{1,20})?)[\"']?:(6379|27017|5672|9092|11211|4222)\b"
)
_PORTS = dict(
    zip(
        ("6379", "27017", "5672", "9092", "11211", "4222"),
        ("Redis", "MongoDB", "RabbitMQ", "Kafka", "Memcached", "NATS"),
        strict=True,
    )
)
_CONNECTION = re.compile(
    r"[\"'=]\s{0,4}((?:host|server|data source|address)\s{0,2}=[^\"';]{1,100};?[^\"']{0,300})", re.IGNORECASE
)
_ADDRESS = re.compile(
    r"(?:[\"'`=]\s{0,2})(mongodb\+srv|[a-z]{2,15}\d?)(?:\+\w{1,20}){0,2}://|[\"'`=]jdbc:(?:tc:)?(\w{2,30}):|[\"'`](sqlite)3?:(?=[/.:\w%$\"'])"
    r"|\b(?:client|dialect)[\"']?\s{0,4}[:=]\s{0,4}[\"'](\w{2,30}(?:-sqlite3)?)[\"']"
    r"|django\.(?:contrib\.gis\.)?db\.backends\.(\w{2,30})"
)
_SCHEME = re.compile(r"(?<![\w.+-])(mongodb\+srv|[a-z]{2,15}\d?)(?:\+\w{1,20}){0,2}://|\bjdbc:(?:tc:)?(\w{2,30}):")
_MAX_IN_SOURCE = 6
"""A source with more kinds of URLs than this only distinguishes them and may use none."""
_NAMES = {
    "PostgreSQL": "pg postgres postgresql postgis psql pgsql postgresql_psycopg2",
    "MySQL": "mysql mysql2 trilogy",
    "MariaDB": "mariadb",
    "SQLite": "sqlite sqlite3 better-sqlite3 spatialite",
    "Oracle Database": "oracle oracle_enhanced oracledb",
    "SQL Server": "sqlserver mssql sqlsrv sql_server",
    "H2": "h2",
    "HSQLDB": "hsqldb",
    "MongoDB": "mongo mongodb mongodb+srv",
    "Redis": "redis rediss",
    "CockroachDB": "cockroachdb cockroach",
    "ClickHouse": "clickhouse ch",
    "Apache Derby": "derby",
    "RabbitMQ": "amqp amqps rabbitmq",
    "Elasticsearch": "elasticsearch",
    "OpenSearch": "opensearch",
    "Memcached": "memcached memcache",
    "Meilisearch": "meilisearch",
    "Typesense": "typesense",
    "Cassandra": "cassandra",
    "Kafka": "kafka",
    "NATS": "nats",
    "MQTT": "mqtt mqtts",
    "Neo4j": "neo4j neo4j+s",
    "InfluxDB": "influxdb",
    "CouchDB": "couchdb",
    "DuckDB": "duckdb",
    "libSQL": "libsql",
    "Valkey": "valkey valkeys",
    "LDAP": "ldap ldaps",
}
_VARIABLE = re.compile(r"\s{0,4}(?:export\s{1,4})?([A-Z]{4,15})_[A-Z0-9_]{2,40}\s{0,2}=")
_NAME_OF = {word: name for name, words in _NAMES.items() for word in words.split()}


def read_database_settings(path: str, content: str) -> ManifestFacts:
    """The databases that the settings mention, ignoring comments."""
    draft = Draft("database")
    draft.add_sign("database", databases_in(line for _, line in lines_of(content)))
    return draft.facts()


def read_environment(path: str, content: str) -> ManifestFacts:
    """``.env.example`` and similar: connection URLs and variables named after a database or broker."""
    draft = Draft("database")
    lines = [line for _, line in lines_of(content)]
    variables = (_VARIABLE.match(line) for line in lines)
    named = (_NAME_OF.get(found.group(1).lower()) for found in variables if found is not None)
    draft.add_sign("database", list(dict.fromkeys([*databases_in(lines), *(name for name in named if name)])))
    return draft.facts()


def read_addresses(path: str, content: str) -> ManifestFacts:
    """Default connection URLs in a source file that is named like settings."""
    draft = Draft("database")
    if "://" in content or "jdbc:" in content or "sqlite" in content or "dialect" in content or "client" in content:
        found = _named(_ADDRESS, (line for _, line in lines_of(content)))
        draft.add_sign("database", found if len(found) <= _MAX_IN_SOURCE else [])
    return draft.facts()


def addresses_in(lines: Iterable[str]) -> list[str]:
    """The databases and brokers with a connection URL in these lines."""
    return _named(_SCHEME, lines)


def databases_in(lines: Iterable[str]) -> list[str]:
    """The databases named in these lines, in order."""
    lines = list(lines)
    places = [_PORTS[port] for line in lines if not _is_comment(line) for port in _PLACE.findall(line)]
    strings = [_connected(text) for line in lines if ";" in line for text in _CONNECTION.findall(line)]
    return list(dict.fromkeys([*_named(_SAID, lines), *places, *(name for name in strings if name)]))


def _named(pattern: re.Pattern[str], lines: Iterable[str]) -> list[str]:
    found: dict[str, None] = {}
    for line in lines:
        for groups in pattern.findall(line) if not _is_comment(line) else ():
            name = _NAME_OF.get(next((group for group in groups if group), "").lower())
            if name is not None:
                found[name] = None
    return list(found)


def _is_comment(line: str) -> bool:
    text = line.lstrip()
    return text[:2] in ("//", "--", "/*") or text[:1] in ("#", "*")


def _connected(text: str) -> str | None:
    """The database of a .NET connection string, by keywords that are specific to one."""
    words = {word.partition("=")[0].strip().lower() for word in text.split(";")}
    if words & {"trusted_connection", "initial catalog", "integrated security", "trustservercertificate"}:
        return "SQL Server"
    if "5432" in text or ("host" in words and "username" in words):
        return "PostgreSQL"
    if "3306" in text or "uid" in words:
        return "MySQL"
    source = text.partition(";")[0].rpartition(".")[2].strip().lower()
    return "SQLite" if "data source" in words and source in ("db", "sqlite", "sqlite3", "db3") else None
