"""Queries for the files of a scan, their chunks and facts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy import and_, bindparam, delete, func, select, update

from loremark.base.caller import Scope
from loremark.memory.codebase.records import FileFacts
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import scan_files

CARRIED = -1
"""Chunk number of files whose facts were carried over, so they are not read."""
WAITING = -2
"""Chunk number of files not assigned to a chunk yet."""
_BATCH = 500

_COLUMNS = ("scan_id", "path", "team_id", "project_id", "blob_hash", "chunk", "facts")
_INSERT = Bulk(scan_files, _COLUMNS, ("scan_id", "path"))
_of_scan = and_(scan_files.c.team_id == bindparam("scope"), scan_files.c.scan_id == bindparam("of_scan"))
_CHUNK = Sql(
    select(scan_files.c.path, scan_files.c.blob_hash)
    .where(_of_scan, scan_files.c.chunk == bindparam("at_chunk"))
    .order_by(scan_files.c.path)
)
_BLOBS = Sql(select(scan_files.c.path, scan_files.c.blob_hash).where(_of_scan))
_DELETE_WAITING = Sql(delete(scan_files).where(_of_scan, scan_files.c.chunk == WAITING))
_UNREAD = Sql(select(func.count().label("count")).select_from(scan_files).where(_of_scan, scan_files.c.facts.is_(None)))
_SET_FACTS = Sql(
    update(scan_files).where(_of_scan, scan_files.c.path == bindparam("at_path")).values(facts=bindparam("new_facts"))
)
_FACTS = Sql(
    select(scan_files.c.path, scan_files.c.blob_hash, scan_files.c.facts)
    .where(_of_scan, scan_files.c.path > bindparam("after"), scan_files.c.facts.is_not(None))
    .order_by(scan_files.c.path)
    .limit(bindparam("take"))
)
_encode = msgspec.json.Encoder().encode
_decoder = msgspec.json.Decoder(FileFacts)


async def create_files(
    tx: Tx,
    scope: Scope,
    project_id: str,
    scan_id: str,
    chosen: Sequence[tuple[str, str, int]],
    known: Mapping[str, str],
) -> None:
    """Store files with their blob and chunk. ``known`` are encoded facts carried over, by path."""
    rows = [(scan_id, path, scope, project_id, blob, chunk, known.get(path)) for path, blob, chunk in chosen]
    for start in range(0, len(rows), _BATCH):
        await tx.insert_new(_INSERT, rows[start : start + _BATCH])


async def list_chunk(tx: Tx, scope: Scope, scan_id: str, chunk: int) -> list[tuple[str, str]]:
    """List the files of a chunk with their blobs."""
    rows = await tx.many(_CHUNK, scope=scope, of_scan=scan_id, at_chunk=chunk)
    return [(row["path"], row["blob_hash"]) for row in rows]


async def list_waiting(tx: Tx, scope: Scope, scan_id: str) -> list[tuple[str, str]]:
    return await list_chunk(tx, scope, scan_id, WAITING)


async def delete_waiting(tx: Tx, scope: Scope, scan_id: str) -> None:
    """Delete files not assigned to a chunk, before they are stored again with one."""
    await tx.sweep(_DELETE_WAITING, scope=scope, of_scan=scan_id)


async def list_blobs(tx: Tx, scope: Scope, scan_id: str) -> dict[str, str]:
    """Return the blobs of a scan's files by path."""
    return {row["path"]: row["blob_hash"] for row in await tx.many(_BLOBS, scope=scope, of_scan=scan_id)}


async def set_facts(tx: Tx, scope: Scope, scan_id: str, facts: Mapping[str, FileFacts]) -> None:
    for path, found in facts.items():
        await tx.run(_SET_FACTS, scope=scope, of_scan=scan_id, at_path=path, new_facts=_encode(found).decode())


async def count_unread(tx: Tx, scope: Scope, scan_id: str) -> int:
    """Return how many of the chosen files have no facts."""
    row = await tx.one(_UNREAD, scope=scope, of_scan=scan_id)
    return int(row["count"]) if row is not None else 0


async def list_facts(tx: Tx, scope: Scope, scan_id: str, after: str) -> list[Row]:
    """List the next files that have facts, with the encoded facts."""
    return await tx.many(_FACTS, scope=scope, of_scan=scan_id, after=after, take=_BATCH)


def decode(stored: str) -> FileFacts:
    return _decoder.decode(stored)
