"""The baseline for ingest: a minimal ASGI app with the same signature, JSON, hash and group commit, and nothing else.

One table of events with the same indexes and one session counter; no routes, limits, projects or blobs.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import sqlite3
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import msgspec

from bench.load import BASELINE_SECRET
from loremark.base import ids
from loremark.base.settings import load
from loremark.entry import server

_SECRET = BASELINE_SECRET.encode()
_TABLES = (
    "CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, team_id TEXT NOT NULL, project_id TEXT NOT NULL, "
    "session_id TEXT NOT NULL, event TEXT NOT NULL, payload TEXT NOT NULL, content_hash {bytes} NOT NULL UNIQUE, "
    "size_bytes BIGINT NOT NULL, created_at_ms BIGINT NOT NULL)",
    "CREATE INDEX IF NOT EXISTS by_session ON events (session_id, id)",
    "CREATE INDEX IF NOT EXISTS by_project ON events (project_id)",
    "CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, event_count BIGINT NOT NULL)",
    "INSERT INTO sessions VALUES ('ses', 0) ON CONFLICT DO NOTHING",
)
_Row = tuple[str, str, str, str, str, str, bytes, int, int]


class SqliteWriter:
    """Group commit in one thread."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in ("PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "PRAGMA cache_size=-32768", *_TABLES):
            self._connection.execute(statement.format(bytes="BLOB"))
        self._thread = ThreadPoolExecutor(1)

    async def write(self, rows: list[_Row]) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, rows)

    def _write(self, rows: list[_Row]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany(
            "INSERT INTO events VALUES (?,?,?,?,?,?,?,?,?) ON CONFLICT (content_hash) DO NOTHING", rows
        )
        self._connection.execute("UPDATE sessions SET event_count = event_count + ? WHERE id = 'ses'", (len(rows),))
        self._connection.execute("COMMIT")


class PostgresWriter:
    """Group commit by arrays, on one connection."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None

    async def write(self, rows: list[_Row]) -> None:
        if self._connection is None:
            self._connection = await asyncpg.connect(self._url)
            for statement in _TABLES:
                await self._connection.execute(statement.format(bytes="BYTEA"))
        async with self._connection.transaction():
            await self._connection.execute(
                "INSERT INTO events SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], "
                "$6::text[], $7::bytea[], $8::bigint[], $9::bigint[]) ON CONFLICT (content_hash) DO NOTHING",
                *[list(column) for column in zip(*rows, strict=True)],
            )
            await self._connection.execute(
                "UPDATE sessions SET event_count = event_count + $1 WHERE id = 'ses'", len(rows)
            )


class BaselineApp:
    """The app."""

    def __init__(self, writer: SqliteWriter | PostgresWriter) -> None:
        self._writer = writer
        self._waiting: list[tuple[_Row, asyncio.Future[None]]] = []
        self._busy = False
        self._decode = msgspec.json.Decoder(dict[str, Any]).decode
        self._encode = msgspec.json.Encoder(order="sorted").encode

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope["headers"])
        body = (await receive())["body"]
        digest = hmac.new(_SECRET, headers[b"x-service-timestamp"] + b"." + body, hashlib.sha256).hexdigest()
        if not hmac.compare_digest(headers[b"x-service-signature"], b"sha256=" + digest.encode()):
            await send({"type": "http.response.start", "status": 401, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        sent = self._decode(body)
        payload = self._encode(sent["payload"])
        hashed = hashlib.sha256(b"prj\0" + sent["event"].encode() + b"\0" + payload).digest()
        event_id = ids.new("evt")
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        row = (event_id, "team", "prj", "ses", sent["event"], payload.decode(), hashed, len(payload), 0)
        self._waiting.append((row, done))
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().create_task(self._flush())
        await done
        answer = b'{"eventId":"' + event_id.encode() + b'","sessionId":"ses"}'
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(answer)).encode())]
        await send({"type": "http.response.start", "status": 202, "headers": head})
        await send({"type": "http.response.body", "body": answer})

    async def _flush(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            await self._writer.write([row for row, _ in group])
            for _, done in group:
                done.set_result(None)
        self._busy = False


async def main(port: int, address: str) -> None:
    writer = PostgresWriter(address) if address.startswith("postgresql") else SqliteWriter(address)
    with server.open_socket(load({"LOREMARK_PORT": str(port)})) as listening:
        await server.listen(BaselineApp(writer), listening, server.stop_signal())


if __name__ == "__main__":
    server.run(main(int(sys.argv[1]), sys.argv[2]))
