"""A whole project as a stream of lines: one moment of it, a bounded piece at a time.

First what it is, then contexts (those above first), sessions with their events, items, each with its history, and last
how many there were: a file without that line is not whole. The order depends on nothing but refs.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from loremark.base import errors
from loremark.base.caller import Scope
from loremark.features.sessions.blobs import Unpacking
from loremark.features.transfer import store, writing
from loremark.features.transfer.citing import cited, cited_in
from loremark.features.transfer.refs import Refs, same_time
from loremark.features.transfer.turns import Turn, patience
from loremark.ports.blobs.store import Blobs
from loremark.storage.database import Database, Row, Tx
from loremark.storage.snapshots import open_snapshot
from loremark.wire.transfer import AnyLine, EndLine

_NAMES_AT_ONCE = 2_000
_ROWS_AT_ONCE = 64
_PIECE_BYTES = 64 * 1024
_BATCH_BYTES = 1024 * 1024
_REVISIONS_AT_ONCE = 8

Page = Callable[[str, int], Awaitable[list[Row]]]
"""Ids (and sizes) after one, so many."""


async def export_project(
    database: Database, blobs: Blobs, scope: Scope, project_id: str, turn: Turn | None = None
) -> AsyncGenerator[bytes, None]:
    """The lines in pieces; the caller has seen that the project may be read, and has taken a turn."""
    try:
        async with open_snapshot(database) as tx:
            waiting = bytearray()
            async for lines in _Export(tx, blobs, scope, project_id).batches():
                waiting += lines
                if len(waiting) >= _PIECE_BYTES:
                    with patience(project_id):
                        yield bytes(waiting)
                    waiting.clear()
            with patience(project_id):
                yield bytes(waiting)
    finally:
        if turn is not None:
            turn.end()


class _Export:
    """One project at one moment."""

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
        yield writing.encode_line(writing.header_line(project))
        for part in (self._contexts(), self._sessions(), self._items()):
            async for lines in part:
                yield lines
        kinds = ("contexts", "sessions", "events", "items", "revisions")
        yield writing.encode_line(EndLine(**{kind: self._count[kind] for kind in kinds}))

    async def _encoded(self, kind: str, make: Callable[[], list[AnyLine]]) -> bytes:
        """Lines are made in a thread: taking secrets out of large texts takes its time."""

        def encoded() -> tuple[int, bytes]:
            lines = make()
            return len(lines), b"".join(map(writing.encode_line, lines))

        count, told = await asyncio.to_thread(encoded)
        self._count[kind] += count
        return told

    # ── contexts

    async def _contexts(self) -> AsyncIterator[bytes]:
        places = await store.list_context_places(self._tx, self._scope, self._project_id)
        parents = {row["id"]: row["parent_id"] for row in places}
        keys = {row["id"]: row["schema_key"] for row in places}

        def depth(context_id: str) -> int:
            steps, above = 0, parents[context_id]
            while above in parents and steps <= len(parents):
                steps, above = steps + 1, parents[above]
            return steps

        ordered = sorted(keys, key=lambda context_id: (depth(context_id), keys[context_id]))
        for start in range(0, len(ordered), _ROWS_AT_ONCE):
            batch = ordered[start : start + _ROWS_AT_ONCE]
            rows = await store.find_contexts(self._tx, self._scope, batch)

            def make(batch: list[str] = batch, rows: dict[str, Row] = rows) -> list[AnyLine]:
                return [writing.context_line(rows[each], keys.get(parents[each]), self._refs) for each in batch]

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
                line = writing.session_line(rows[session_id], self._refs)
                self._count["sessions"] += 1
                yield writing.encode_line(line)
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
                unpacking = Unpacking(self._blobs, self._project_id)  # one for each: it remembers what it has read
                whole.append((rows[event_id], await unpacking.payload(rows[event_id]["payload"])))
                size += unpacking.size
                if size > _BATCH_BYTES:
                    yield await self._event_lines(whole)
                    whole, size = [], 0
            yield await self._event_lines(whole)

    async def _event_lines(self, whole: list[tuple[Row, Any]]) -> bytes:
        return await self._encoded(
            "events", lambda: [writing.event_line(row, payload, self._refs) for row, payload in whole]
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
            known = await self._known({event for row in rows.values() for event, _ in cited(row["evidence"])})

            def make(
                batch: list[str] = batch,
                rows: dict[str, Row] = rows,
                files: dict[str, dict[str, str | None]] = files,
                conflicts: dict[str, list[Row]] = conflicts,
                known: set[str] = known,
            ) -> list[AnyLine]:
                return [
                    writing.item_line(rows[each], files[each], conflicts[each], self._refs, known) for each in batch
                ]

            yield await self._encoded("items", make)
            async for lines in self._histories(batch):
                yield lines

    # ── histories

    async def _histories(self, batch: Sequence[str]) -> AsyncIterator[bytes]:
        """The revisions of these, in the order given; a long history in steps."""
        sizes = await store.find_revision_sizes(self._tx, self._scope, batch)
        for group in _batched([(each, sizes.get(each, 0)) for each in batch]):
            if sum(sizes.get(each, 0) for each in group) <= _BATCH_BYTES:
                rows = await store.list_revisions(self._tx, self._scope, group)
                places = {of_id: place for place, of_id in enumerate(group)}
                rows.sort(key=lambda row, places=places: (places[row["of_id"]], row["version"]))  # type: ignore[misc]
                yield await self._revisions(rows)
                continue
            after = 0
            while rows := await store.list_revisions_after(self._tx, self._scope, group[0], after, _REVISIONS_AT_ONCE):
                after = rows[-1]["version"]
                yield await self._revisions(rows)

    async def _revisions(self, rows: Sequence[Row]) -> bytes:
        known = await self._known({event for row in rows for event in cited_in(row["snapshot"])})
        return await self._encoded("revisions", lambda: [writing.revision_line(row, self._refs, known) for row in rows])

    async def _known(self, cited_events: set[str]) -> set[str]:
        return await store.find_known_events(self._tx, self._scope, self._project_id, cited_events)

    # ── order

    async def _in_order(self, page: Page, *, sized: bool = True) -> AsyncIterator[list[str]]:
        """Batches of ids by time, then by ref: ids of one moment sort differently in another project."""
        moment: list[tuple[str, int]] = []
        after = ""
        while rows := await page(after, _NAMES_AT_ONCE):
            named = [(row["id"], int(row["size"]) if sized else 0) for row in rows]
            after = named[-1][0]
            open_moment = same_time(after)
            ended = [name for name in (*moment, *named) if same_time(name[0]) != open_moment]
            moment = [name for name in (*moment, *named) if same_time(name[0]) == open_moment]
            for batch in _batched(self._sorted(ended)):
                yield batch
        for batch in _batched(self._sorted(moment)):
            yield batch

    def _sorted(self, named: list[tuple[str, int]]) -> list[tuple[str, int]]:
        return sorted(named, key=lambda name: (same_time(name[0]), self._refs.swap(name[0])))


def _batched(named: Sequence[tuple[str, int]]) -> list[list[str]]:
    """Groups that are read at once: so many at most, and not many bytes unless one alone has more."""
    groups: list[list[str]] = []
    size = 0
    for each, its_size in named:
        if not groups or len(groups[-1]) >= _ROWS_AT_ONCE or size + its_size > _BATCH_BYTES:
            groups.append([])
            size = 0
        groups[-1].append(each)
        size += its_size
    return groups
