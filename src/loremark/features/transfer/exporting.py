"""Export of a project as a stream of lines: a consistent snapshot, read in bounded batches.

A header comes first, then contexts (parents first), sessions with their events, and items, each with its history, and
last the number of lines; a file without that line is incomplete. The order depends only on refs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from loremark.base import errors
from loremark.base.caller import Scope
from loremark.features.sessions.blobs import PayloadReader
from loremark.features.transfer import line_writer, store
from loremark.features.transfer.evidence import event_ids_in_snapshot, parse_evidence
from loremark.features.transfer.export_slots import ExportSlot, ReaderPace
from loremark.features.transfer.refs import Refs, time_part
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Row, Tx
from loremark.storage.snapshots import open_snapshot
from loremark.wire.transfer import AnyLine, EndLine

_PAGE_IDS = 2_000
_BATCH_ROWS = 64
_CHUNK_BYTES = 64 * 1024
_BATCH_BYTES = 1024 * 1024
_BATCH_REVISIONS = 8

Page = Callable[[str, int], Awaitable[list[Row]]]
"""Returns up to that many ids (and sizes) after an id."""


async def export_project(
    database: Database, blobs: Blobs, scope: Scope, project_id: str, slot: ExportSlot | None = None
) -> AsyncGenerator[bytes, None]:
    """Yield the export in chunks. The caller has checked access and acquired a slot."""
    pace = ReaderPace(project_id)
    try:
        async with open_snapshot(database) as tx:
            buffer = bytearray()
            async for lines in _Export(tx, blobs, scope, project_id).batches():
                buffer += lines
                if len(buffer) >= _CHUNK_BYTES:
                    with pace.sending(len(buffer)):
                        yield bytes(buffer)
                    buffer.clear()
            with pace.sending(len(buffer)):
                yield bytes(buffer)
    finally:
        if slot is not None:
            slot.release()


class _Export:
    """One project in one snapshot."""

    def __init__(self, tx: Tx, blobs: Blobs, scope: Scope, project_id: str) -> None:
        self._tx = tx
        self._blobs = blobs
        self._scope = scope
        self._project_id = project_id
        self._refs = Refs(project_id)
        self._count: Counter[str] = Counter()

    async def batches(self) -> AsyncIterator[bytes]:
        project = await store.find_project(self._tx, self._scope, self._project_id)
        if project is None:
            raise errors.PROJECT_NOT_FOUND()
        yield line_writer.encode_line(line_writer.header_line(project))
        for part in (self._contexts(), self._sessions(), self._items()):
            async for lines in part:
                yield lines
        kinds = ("contexts", "sessions", "events", "items", "revisions")
        yield line_writer.encode_line(EndLine(**{kind: self._count[kind] for kind in kinds}))

    async def _encoded(self, kind: str, make: Callable[[], list[AnyLine]]) -> bytes:
        """Build lines in a thread, because redacting large texts is slow."""

        def encoded() -> tuple[int, bytes]:
            lines = make()
            return len(lines), b"".join(map(line_writer.encode_line, lines))

        count, data = await asyncio.to_thread(encoded)
        self._count[kind] += count
        return data

    # ── contexts

    async def _contexts(self) -> AsyncIterator[bytes]:
        places = await store.list_context_keys(self._tx, self._scope, self._project_id)
        parents = {row["id"]: row["parent_id"] for row in places}
        keys = {row["id"]: row["schema_key"] for row in places}

        def depth(context_id: str) -> int:
            steps, above = 0, parents[context_id]
            while above in parents and steps <= len(parents):
                steps, above = steps + 1, parents[above]
            return steps

        ordered = sorted(keys, key=lambda context_id: (depth(context_id), keys[context_id]))
        for start in range(0, len(ordered), _BATCH_ROWS):
            batch = ordered[start : start + _BATCH_ROWS]
            rows = await store.find_contexts(self._tx, self._scope, batch)

            def make(batch: list[str] = batch, rows: dict[str, Row] = rows) -> list[AnyLine]:
                return [line_writer.context_line(rows[each], keys.get(parents[each]), self._refs) for each in batch]

            yield await self._encoded("contexts", make)
            async for lines in self._histories(batch):
                yield lines

    # ── sessions and events

    async def _sessions(self) -> AsyncIterator[bytes]:
        async def page(after: str, take: int) -> list[Row]:
            return await store.list_session_ids(self._tx, self._scope, self._project_id, after, take)

        async for batch in self._in_order(page, sized=False):
            rows = await store.find_sessions(self._tx, self._scope, batch)
            for session_id in batch:
                line = line_writer.session_line(rows[session_id], self._refs)
                self._count["sessions"] += 1
                yield line_writer.encode_line(line)
                async for lines in self._events(session_id):
                    yield lines

    async def _events(self, session_id: str) -> AsyncIterator[bytes]:
        async def page(after: str, take: int) -> list[Row]:
            return await store.list_event_sizes(self._tx, self._scope, session_id, after, take)

        async for batch in self._in_order(page):
            rows = await store.find_events(self._tx, self._scope, batch)
            whole: list[tuple[Row, Any]] = []
            size = 0
            for event_id in batch:
                unpacking = PayloadReader(self._blobs, self._project_id)  # one per event, since it caches what it read
                whole.append((rows[event_id], await unpacking.read(rows[event_id]["payload"])))
                size += unpacking.size
                if size > _BATCH_BYTES:
                    yield await self._event_lines(whole)
                    whole, size = [], 0
            yield await self._event_lines(whole)

    async def _event_lines(self, whole: list[tuple[Row, Any]]) -> bytes:
        return await self._encoded(
            "events", lambda: [line_writer.event_line(row, payload, self._refs) for row, payload in whole]
        )

    # ── items

    async def _items(self) -> AsyncIterator[bytes]:
        async def page(after: str, take: int) -> list[Row]:
            return await store.list_item_sizes(self._tx, self._scope, self._project_id, after, take)

        async for batch in self._in_order(page):
            rows = await store.find_items(self._tx, self._scope, batch)
            files: dict[str, dict[str, str | None]] = {item_id: {} for item_id in batch}
            for row in await store.list_files(self._tx, self._scope, self._project_id, batch):
                files[row["item_id"]][row["path"]] = row["fingerprint"]
            conflicts: dict[str, list[Row]] = {item_id: [] for item_id in batch}
            for row in await store.list_conflicts(self._tx, self._scope, self._project_id, batch):
                conflicts[row["item_id"]].append(row)
            known = await self._known({event for row in rows.values() for event, *_ in parse_evidence(row["evidence"])})

            def make(
                batch: list[str] = batch,
                rows: dict[str, Row] = rows,
                files: dict[str, dict[str, str | None]] = files,
                conflicts: dict[str, list[Row]] = conflicts,
                known: set[str] = known,
            ) -> list[AnyLine]:
                return [
                    line_writer.item_line(rows[each], files[each], conflicts[each], self._refs, known) for each in batch
                ]

            yield await self._encoded("items", make)
            async for lines in self._histories(batch):
                yield lines

    # ── histories

    async def _histories(self, batch: Sequence[str]) -> AsyncIterator[bytes]:
        """The revisions of these records in order; long histories are read in steps."""
        sizes = await store.find_revision_sizes(self._tx, self._scope, batch)
        for group in _batched([(each, sizes.get(each, 0)) for each in batch]):
            if sum(sizes.get(each, 0) for each in group) <= _BATCH_BYTES:
                rows = await store.list_revisions(self._tx, self._scope, group)
                places = {record_id: place for place, record_id in enumerate(group)}
                rows.sort(key=lambda row, places=places: (places[row["record_id"]], row["version"]))  # type: ignore[misc]
                yield await self._revisions(rows)
                continue
            after = 0
            while rows := await store.list_revisions_after(self._tx, self._scope, group[0], after, _BATCH_REVISIONS):
                after = rows[-1]["version"]
                yield await self._revisions(rows)

    async def _revisions(self, rows: Sequence[Row]) -> bytes:
        known = await self._known({event for row in rows for event in event_ids_in_snapshot(row["snapshot"])})
        return await self._encoded(
            "revisions", lambda: [line_writer.revision_line(row, self._refs, known) for row in rows]
        )

    async def _known(self, cited_events: set[str]) -> set[str]:
        return await store.find_known_events(self._tx, self._scope, self._project_id, cited_events)

    # ── order

    async def _in_order(self, page: Page, *, sized: bool = True) -> AsyncIterator[list[str]]:
        """Batches of ids sorted by time, then by ref: ids of the same time sort differently in other projects."""
        same_time_ids: list[tuple[str, int]] = []
        after = ""
        while rows := await page(after, _PAGE_IDS):
            named = [(row["id"], int(row["size"]) if sized else 0) for row in rows]
            after = named[-1][0]
            current = time_part(after)
            ended = [name for name in (*same_time_ids, *named) if time_part(name[0]) != current]
            same_time_ids = [name for name in (*same_time_ids, *named) if time_part(name[0]) == current]
            for batch in _batched(self._sorted(ended)):
                yield batch
        for batch in _batched(self._sorted(same_time_ids)):
            yield batch

    def _sorted(self, named: list[tuple[str, int]]) -> list[tuple[str, int]]:
        return sorted(named, key=lambda name: (time_part(name[0]), self._refs.swap(name[0])))


def _batched(named: Sequence[tuple[str, int]]) -> list[list[str]]:
    """Groups of ids to read together, bounded in number and bytes; a larger record gets its own group."""
    groups: list[list[str]] = []
    size = 0
    for each, record_bytes in named:
        if not groups or len(groups[-1]) >= _BATCH_ROWS or size + record_bytes > _BATCH_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(each)
        size += record_bytes
    return groups
