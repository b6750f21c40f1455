"""Cache of assembled brains. Concurrent requests for the same brain share one assembly."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field

import msgspec

from loremark.base import clock, errors, ids, log
from loremark.base.caller import Caller, Scope
from loremark.features.brain import store
from loremark.features.brain.assembly import Assembled, assemble
from loremark.features.brain.request import BrainRequest
from loremark.features.brain.team_slots import TeamSlots, WaitForDisconnect
from loremark.features.projects.access import access_of
from loremark.storage.database import Database, StorageUnavailable
from loremark.wire.brain import Brain, BrainMetadata, BrainOmitted

_MAX_BYTES = 32 * 1024 * 1024
_log = log.logger("brain")
_encode = msgspec.json.Encoder().encode
Key = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class CurrentBrain:
    """The current memory version, and the ETag of its brain if it has been assembled before."""

    version: int
    etag: str | None
    assembled_at_ms: int


@dataclass(frozen=True, slots=True)
class CachedBrain:
    """A brain in the formats it is sent in."""

    etag: str
    markdown: bytes
    json: bytes
    assembled: Assembled
    assembled_at_ms: int

    @property
    def size(self) -> int:
        return 3 * len(self.markdown) + len(self.json)


@dataclass(slots=True, eq=False)
class _Assembly:
    """A brain being assembled, and how many requests wait for it. It can be cancelled until it has started."""

    task: asyncio.Task[CachedBrain | None] = field(init=False)
    waiting: int = 0
    started: bool = False


async def get_current(database: Database, caller: Caller, request: BrainRequest) -> CurrentBrain:
    """Check access to the project and find its current brain, in one query by primary keys."""
    row = None
    if ids.looks_valid(request.project_id, "prj"):
        async with database.read() as tx:
            row = await store.find_current(tx, caller, request.project_id, request.variant)
    if row is None or access_of(caller, row) is None:
        raise errors.PROJECT_NOT_FOUND()
    if row["brain_version"] != row["memory_version"]:
        return CurrentBrain(row["memory_version"], None, 0)
    return CurrentBrain(row["memory_version"], row["etag"], row["updated_at_ms"])


class BrainCache:
    """Brains cached in this process. The database decides which one is current, and since when."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: OrderedDict[Key, CachedBrain] = OrderedDict()
        self._bytes = 0
        self._in_progress: dict[Key, _Assembly] = {}
        self._slots = TeamSlots()

    async def get(
        self, scope: Scope, request: BrainRequest, current: CurrentBrain, wait_for_disconnect: WaitForDisconnect
    ) -> CachedBrain:
        """Return the brain at the given memory version or a newer one."""
        key = (request.project_id, current.version, request.variant)
        cached = self._cached.get(key)
        if cached is not None and (cached.etag, cached.assembled_at_ms) == (current.etag, current.assembled_at_ms):
            self._cached.move_to_end(key)
            return cached
        assembly = self._in_progress.get(key) or self._start(key, scope, request, cached)
        brain = await self._wait(key, assembly, wait_for_disconnect)
        if brain is None:
            raise errors.PROJECT_NOT_FOUND()
        return brain

    async def close(self) -> None:
        """Cancel all assemblies in progress."""
        tasks = [assembly.task for assembly in self._in_progress.values()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _start(self, key: Key, scope: Scope, request: BrainRequest, known: CachedBrain | None) -> _Assembly:
        assembly = _Assembly()
        assembly.task = asyncio.create_task(self._assemble(key, assembly, scope, request, known))
        assembly.task.add_done_callback(lambda _: self._on_done(key, assembly))
        self._in_progress[key] = assembly
        return assembly

    def _on_done(self, key: Key, assembly: _Assembly) -> None:
        self._remove(key, assembly)
        if not assembly.task.cancelled():
            assembly.task.exception()  # marks the exception as retrieved even if all clients have disconnected

    def _remove(self, key: Key, assembly: _Assembly) -> None:
        """Stop new requests from joining this assembly. Another one with the same key may be in progress."""
        if self._in_progress.get(key) is assembly:
            del self._in_progress[key]

    async def _wait(self, key: Key, assembly: _Assembly, wait_for_disconnect: WaitForDisconnect) -> CachedBrain | None:
        """Wait for the assembly. If all waiting clients disconnect before it has started, it is cancelled."""
        assembly.waiting += 1
        disconnected = asyncio.ensure_future(wait_for_disconnect())
        try:
            await asyncio.wait((assembly.task, disconnected), return_when=asyncio.FIRST_COMPLETED)
            if not assembly.task.done():
                raise errors.UNAVAILABLE()  # no client to respond to
            return assembly.task.result()
        finally:
            disconnected.cancel()
            assembly.waiting -= 1
            if not assembly.waiting and not assembly.started:
                self._remove(key, assembly)
                assembly.task.cancel()

    async def _assemble(
        self, key: Key, assembly: _Assembly, scope: Scope, request: BrainRequest, known: CachedBrain | None
    ) -> CachedBrain | None:
        if known is not None:  # only the database record is missing
            assembly.started = True
            assembled: Assembled | None = known.assembled
        else:
            async with self._slots.acquire(scope):
                assembly.started = True
                assembled = await assemble(self._database, scope, request)
        at_ms = None if assembled is None else await self._store_version(scope, request, assembled)
        if assembled is None or at_ms is None:
            return None
        brain = _shape(request, assembled, at_ms)
        self._cache((key[0], assembled.version, key[2]), brain)
        return brain

    async def _store_version(self, scope: Scope, request: BrainRequest, assembled: Assembled) -> int | None:
        """Record the brain and return since when it has been current, or None if the project does not exist.

        The project is locked, because a record written after its deletion would never be cleaned up.
        """
        try:
            async with self._database.write() as tx:
                if await store.lock_version(tx, scope, request.project_id) is None:
                    return None
                row = await store.upsert_brain(
                    tx,
                    scope,
                    request.project_id,
                    request.variant,
                    version=assembled.version,
                    etag=assembled.etag,
                    item_count=assembled.document.item_count,
                )
                await store.prune_brains(tx, scope, request.project_id)
        except StorageUnavailable as error:
            _log.warning("could not record brain version", project_id=request.project_id, error=str(error))
            return clock.now_ms()
        return int(row["updated_at_ms"]) if row["etag"] == assembled.etag else clock.now_ms()

    def _cache(self, key: Key, brain: CachedBrain) -> None:
        before = self._cached.pop(key, None)
        self._bytes -= before.size if before is not None else 0
        self._cached[key] = brain
        self._bytes += brain.size
        while self._bytes > _MAX_BYTES:
            self._bytes -= self._cached.popitem(last=False)[1].size


def to_brain(request: BrainRequest, assembled: Assembled, at_ms: int) -> Brain:
    """Return the document as an API response."""
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
        budget=request.budget,
    )
    return Brain(markdown=document.markdown, metadata=metadata)


def _shape(request: BrainRequest, assembled: Assembled, at_ms: int) -> CachedBrain:
    sent = _encode(to_brain(request, assembled, at_ms))
    return CachedBrain(assembled.etag, assembled.document.markdown.encode(), sent, assembled, at_ms)
