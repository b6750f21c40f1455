"""The brain as it was at a point in time, assembled from revisions.

It does not contain items and contexts deleted since then, because deletion is permanent, or secrets redacted from old
revisions. The project's name, description and repository have no history, so the current ones are used.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from loremark.base import errors
from loremark.base.caller import Scope
from loremark.features.brain import past_states, store
from loremark.features.brain.assembly import Assembled, project_header, read_texts, render, to_entries
from loremark.features.brain.request import BrainRequest
from loremark.features.brain.team_slots import TeamSlots, WaitForDisconnect
from loremark.memory.brain.entries import Entry, Text
from loremark.memory.brain.selection import Choice, select_entries
from loremark.storage.database import Database, Row

_ATTEMPTS = 3
_KINDS = ("item", "context")
_Sizes = Mapping[str, Mapping[str, int]]


class PastBrains:
    """Assembles past brains, one at a time per team. They are rarely requested twice, so they are not cached."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._slots = TeamSlots()

    async def get(
        self, scope: Scope, request: BrainRequest, at_ms: int, wait_for_disconnect: WaitForDisconnect
    ) -> Assembled:
        """Assemble a past brain. Reading is repeated if the memory changes, unless the client has disconnected."""
        async with self._slots.acquire_while_connected(scope, wait_for_disconnect) as check_connected:
            for _ in range(_ATTEMPTS):
                check_connected()
                assembled = await self._assemble_once(scope, request, at_ms)
                async with self._database.read() as tx:
                    project = await store.find_project(tx, scope, request.project_id)
                if project is None or project["memory_version"] == assembled.version:
                    break
            return assembled

    async def _assemble_once(self, scope: Scope, request: BrainRequest, at_ms: int) -> Assembled:
        async with self._database.read() as tx:
            project = await store.find_project(tx, scope, request.project_id)
            if project is None:
                raise errors.PROJECT_NOT_FOUND()
            items, contexts = await past_states.list_unchanged(tx, scope, request.project_id, request.branch, at_ms)
            sizes = {
                kind: await past_states.list_changed(tx, scope, request.project_id, at_ms, kind) for kind in _KINDS
            }
        changed = {entry.id: entry for entry in await self._changed(scope, request, at_ms, sizes)}
        entries, chosen = await asyncio.to_thread(_choose, request, items, contexts, changed)
        texts = await self._texts(scope, request, at_ms, sizes, chosen)
        async with self._database.read() as tx:
            unchanged = [choice for choice in chosen if choice.entry.id not in changed]
            texts |= await read_texts(tx, scope, request.project_id, unchanged)
        document, etag = await asyncio.to_thread(
            render, project_header(project, request), entries, chosen, texts, request.budget
        )
        return Assembled(document, int(project["memory_version"]), etag)

    async def _changed(self, scope: Scope, request: BrainRequest, at_ms: int, sizes: _Sizes) -> list[Entry]:
        """Return entries approved then and changed since, without their texts, which may not fit into memory."""
        found: list[Entry] = []
        for kind in _KINDS:
            for ids in past_states.in_batches(sizes[kind]):
                async with self._database.read() as tx:
                    rows = await past_states.list_snapshots(tx, scope, request.project_id, at_ms, kind, ids)
                found += await asyncio.to_thread(_entries, kind, rows, request.branch)
        return found

    async def _texts(
        self, scope: Scope, request: BrainRequest, at_ms: int, sizes: _Sizes, chosen: Sequence[Choice]
    ) -> dict[str, Text]:
        """Return the past texts of the chosen entries that have changed since."""
        found: dict[str, Text] = {}
        whole = {choice.entry.id for choice in chosen if choice.whole}
        for kind in _KINDS:
            size_of = sizes[kind]
            wanted = {one.entry.id: size_of[one.entry.id] for one in chosen if one.entry.id in size_of}
            for ids in past_states.in_batches(wanted):
                async with self._database.read() as tx:
                    rows = await past_states.list_snapshots(tx, scope, request.project_id, at_ms, kind, ids)
                found |= await asyncio.to_thread(_read, rows, whole)
        return found


def _entries(kind: str, rows: Sequence[Row], branch: str | None) -> list[Entry]:
    entries = (
        past_states.entry_of_item(row, branch) if kind == "item" else past_states.entry_of_context(row) for row in rows
    )
    return [entry for entry in entries if entry is not None]


def _choose(
    request: BrainRequest, items: Sequence[Row], contexts: Sequence[Row], changed: Mapping[str, Entry]
) -> tuple[list[Entry], list[Choice]]:
    entries = [entry for entry in to_entries(items, contexts) if entry.id not in changed] + [*changed.values()]
    return entries, select_entries(entries, request.budget)


def _read(rows: Sequence[Row], whole: Collection[str]) -> dict[str, Text]:
    return {row["id"]: past_states.text_of(row, None if row["id"] in whole else store.BEGINNING_CHARS) for row in rows}
