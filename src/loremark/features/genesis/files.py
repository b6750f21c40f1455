"""The files of a scan: which are read, in which chunk, and what was found in each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from sqlalchemy import and_, bindparam, delete, select, update

from loremark.base.caller import Scope
from loremark.memory.codebase.records import FileFacts
from loremark.storage.database import Row, Tx
from loremark.storage.statements import Bulk, Sql
from loremark.storage.tables import scan_files

CARRIED = -1
"""The chunk of files that nobody has to read: their facts were carried over."""
WAITING = -2
"""The chunk of files that are not in one yet."""
_FACTS_AT_ONCE = 500

_COLUMNS = ("scan_id", "path", "team_id", "project_id", "blob_hash", "chunk", "facts")
_INSERT = Bulk(scan_files, _COLUMNS, ("scan_id", "path"))
_of_scan = and_(scan_files.c.team_id == bindparam("scope"), scan_files.c.scan_id == bindparam("of_scan"))
_CHUNK = Sql(
    select(scan_files.c.path, scan_files.c.blob_hash)
    .where(_of_scan, scan_files.c.chunk == bindparam("at_chunk"))
    .order_by(scan_files.c.path)
)
_BLOBS = Sql(select(scan_files.c.path, scan_files.c.blob_hash).where(_of_scan))
_FORGET_WAITING = Sql(delete(scan_files).where(_of_scan, scan_files.c.chunk == WAITING))
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
    """Each file with its blob and chunk; ``known``: facts carried over, as they are kept, by path."""
    rows = [(scan_id, path, scope, project_id, blob, chunk, known.get(path)) for path, blob, chunk in chosen]
    for start in range(0, len(rows), _FACTS_AT_ONCE):
        await tx.insert_new(_INSERT, rows[start : start + _FACTS_AT_ONCE])


async def list_chunk(tx: Tx, scope: Scope, scan_id: str, chunk: int) -> list[tuple[str, str]]:
    """The files of a chunk with their blobs."""
    rows = await tx.many(_CHUNK, scope=scope, of_scan=scan_id, at_chunk=chunk)
    return [(row["path"], row["blob_hash"]) for row in rows]


async def list_waiting(tx: Tx, scope: Scope, scan_id: str) -> list[tuple[str, str]]:
    return await list_chunk(tx, scope, scan_id, WAITING)


async def forget_waiting(tx: Tx, scope: Scope, scan_id: str) -> None:
    """Those that are in no chunk yet, before they are written again with theirs."""
    await tx.sweep(_FORGET_WAITING, scope=scope, of_scan=scan_id)


async def list_blobs(tx: Tx, scope: Scope, scan_id: str) -> dict[str, str]:
    """The blob of every file of a scan."""
    return {row["path"]: row["blob_hash"] for row in await tx.many(_BLOBS, scope=scope, of_scan=scan_id)}


async def set_facts(tx: Tx, scope: Scope, scan_id: str, facts: Mapping[str, FileFacts]) -> None:
    for path, found in facts.items():
        await tx.run(_SET_FACTS, scope=scope, of_scan=scan_id, at_path=path, new_facts=_encode(found).decode())


async def page_of_facts(tx: Tx, scope: Scope, scan_id: str, after: str) -> list[Row]:
    """The next files that were read, with what was found in them as it is kept."""
    return await tx.many(_FACTS, scope=scope, of_scan=scan_id, after=after, take=_FACTS_AT_ONCE)


def decode(kept: str) -> FileFacts:
    return _decoder.decode(kept)
