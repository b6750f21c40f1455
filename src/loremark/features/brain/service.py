"""Brains at hand: made once however many ask at the same moment, and kept while there is room."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from loremark.base import clock, errors, ids, log
from loremark.base.caller import Caller, Scope
from loremark.features.brain import store
from loremark.features.brain.asked import Asked
from loremark.features.brain.assembly import Assembled, assemble
from loremark.features.brain.places import Gone, Places
from loremark.features.projects.access import right_of
from loremark.storage.database import Database, StorageUnavailable
from loremark.wire.brain import Brain, BrainMetadata, BrainOmitted

_MOST_BYTES = 32 * 1024 * 1024
_log = log.logger("brain")
_encode = msgspec.json.Encoder().encode
Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class Seen:
    """What one look at the database tells: the memory's version, and the brain known to be of it (or none)."""

    version: int
    etag: str | None
    assembled_at_ms: int


@dataclass(frozen=True, slots=True)
class Kept:
    """A brain as it is sent."""

    etag: str
    markdown: bytes
    json: bytes
    assembled: Assembled
    assembled_at_ms: int

    @property
    def size(self) -> int:
        return 3 * len(self.markdown) + len(self.json)


@dataclass(slots=True, eq=False)
class _Making:
    """A brain being made, and for how many. Until its making has begun it can be done without."""

    task: asyncio.Task[Kept | None] = field(init=False)
    waiting: int = 0
    begun: bool = False


async def look(database: Database, caller: Caller, asked: Asked) -> Seen:
    """One look-up by primary keys: whether the caller may read the project, and which brain is the current one."""
    row = None
    if ids.looks_valid(asked.project_id, "prj"):
        async with database.read() as tx:
            row = await store.look(tx, caller, asked.project_id, asked.variant)
    if row is None or right_of(caller, row) is None:
        raise errors.PROJECT_NOT_FOUND()
    if row["brain_version"] != row["memory_version"]:
        return Seen(row["memory_version"], None, 0)
    return Seen(row["memory_version"], row["etag"], row["updated_at_ms"])


class Brains:
    """The brains of a process. What is the current one, and since when, is said by the database alone."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._kept: OrderedDict[Key, Kept] = OrderedDict()
        self._bytes = 0
        self._under_way: dict[Key, _Making] = {}
        self._places = Places()

    async def get(self, scope: Scope, asked: Asked, seen: Seen, gone: Gone) -> Kept:
        """The brain at the version just seen, or a newer one. ``gone`` returns when the caller waits no more."""
        key = (asked.project_id, seen.version, asked.variant)
        kept = self._kept.get(key)
        if kept is not None and (kept.etag, kept.assembled_at_ms) == (seen.etag, seen.assembled_at_ms):
            self._kept.move_to_end(key)
            return kept
        making = self._under_way.get(key) or self._begin(key, scope, asked, kept)
        made = await self._wait(key, making, gone)
        if made is None:
            raise errors.PROJECT_NOT_FOUND()
        return made

    async def close(self) -> None:
        """Nobody waits any more for what is under way."""
        ends = [making.task for making in self._under_way.values()]
        for task in ends:
            task.cancel()
        if ends:
            await asyncio.wait(ends)

    def _begin(self, key: Key, scope: Scope, asked: Asked, known: Kept | None) -> _Making:
        making = _Making()
        making.task = asyncio.create_task(self._make(key, making, scope, asked, known))
        making.task.add_done_callback(lambda _: self._ended(key, making))
        self._under_way[key] = making
        return making

    def _ended(self, key: Key, making: _Making) -> None:
        self._forget(key, making)
        if not making.task.cancelled():
            making.task.exception()  # counts as retrieved, also when everybody who waited has gone

    def _forget(self, key: Key, making: _Making) -> None:
        """From now on nobody joins it. Another of the same key may already be under way."""
        if self._under_way.get(key) is making:
            del self._under_way[key]

    async def _wait(self, key: Key, making: _Making, gone: Gone) -> Kept | None:
        """Whoever gives up waiting does not take it from the others; the last one takes its place in line along."""
        making.waiting += 1
        leaving = asyncio.ensure_future(gone())
        try:
            await asyncio.wait((making.task, leaving), return_when=asyncio.FIRST_COMPLETED)
            if not making.task.done():
                raise errors.UNAVAILABLE()  # nobody is there to read it
            return making.task.result()
        finally:
            leaving.cancel()
            making.waiting -= 1
            if not making.waiting and not making.begun:
                self._forget(key, making)
                making.task.cancel()

    async def _make(self, key: Key, making: _Making, scope: Scope, asked: Asked, known: Kept | None) -> Kept | None:
        if known is not None:  # only what the database knew of it is gone
            making.begun = True
            assembled: Assembled | None = known.assembled
        else:
            async with self._places.place(scope):
                making.begun = True
                assembled = await assemble(self._database, scope, asked)
        at_ms = None if assembled is None else await self._note(scope, asked, assembled)
        if assembled is None or at_ms is None:
            return None
        made = _shape(asked, assembled, at_ms)
        self._keep((key[0], assembled.version, key[2]), made)
        return made

    async def _note(self, scope: Scope, asked: Asked, assembled: Assembled) -> int | None:
        """Since when the document is this one, told also when that cannot be written down; None: the project is gone.

        The project is held meanwhile: what is noted after its deletion, nobody would clear away.
        """
        try:
            async with self._database.write() as tx:
                if await store.hold_version(tx, scope, asked.project_id) is None:
                    return None
                row = await store.keep_brain(
                    tx,
                    scope,
                    asked.project_id,
                    asked.variant,
                    version=assembled.version,
                    etag=assembled.etag,
                    item_count=assembled.document.item_count,
                )
                await store.prune_brains(tx, scope, asked.project_id)
        except StorageUnavailable as error:
            _log.warning("a brain could not be noted", project_id=asked.project_id, error=str(error))
            return clock.now_ms()
        return int(row["updated_at_ms"]) if row["etag"] == assembled.etag else clock.now_ms()

    def _keep(self, key: Key, made: Kept) -> None:
        before = self._kept.pop(key, None)
        self._bytes -= before.size if before is not None else 0
        self._kept[key] = made
        self._bytes += made.size
        while self._bytes > _MOST_BYTES:
            self._bytes -= self._kept.popitem(last=False)[1].size


def brain_of(asked: Asked, assembled: Assembled, at_ms: int) -> Brain:
    """The document as it is answered."""
    document = assembled.document
    metadata = BrainMetadata(
        item_count=document.item_count,
        token_estimate=document.tokens,
        assembled_at=clock.iso(at_ms),
        schema_keys=list(document.schema_keys),
        omitted=BrainOmitted(
            count=sum(document.omitted.values()),
            by_layer={str(layer): number for layer, number in document.omitted.items()},
        ),
        budget=asked.budget,
    )
    return Brain(markdown=document.markdown, metadata=metadata)


def _shape(asked: Asked, assembled: Assembled, at_ms: int) -> Kept:
    sent = _encode(brain_of(asked, assembled, at_ms))
    return Kept(assembled.etag, assembled.document.markdown.encode(), sent, assembled, at_ms)
