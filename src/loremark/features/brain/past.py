"""The brain as it was at a moment, put together from the states of then.

Not in it: what was deleted for ever since, because deletion is a promise, and what was taken out of old revisions
(secrets). Name, description and repository of the project have no history: they are those of now.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping, Sequence

from loremark.base import errors
from loremark.base.caller import Scope
from loremark.features.brain import states, store
from loremark.features.brain.asked import Asked
from loremark.features.brain.assembly import Assembled, about, entries_of, read_texts, write
from loremark.features.brain.places import Gone, Places
from loremark.memory.brain.entries import Entry, Text
from loremark.memory.brain.planning import Choice, choose
from loremark.storage.database import Database, Row

_TRIES = 3
_KINDS = ("item", "context")
_Sizes = Mapping[str, Mapping[str, int]]


class Pasts:
    """Puts brains of the past together, for each team one at a time. None is kept: they are looked at once."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._places = Places()

    async def get(self, scope: Scope, asked: Asked, at_ms: int, gone: Gone) -> Assembled:
        """Where the memory changed while it was read it is read again, as the brain of now is; not for who has left."""
        async with self._places.place_while(scope, gone) as go_on:
            for _ in range(_TRIES):
                go_on()
                made = await self._read_and_write(scope, asked, at_ms)
                async with self._database.read() as tx:
                    project = await store.find_project(tx, scope, asked.project_id)
                if project is None or project["memory_version"] == made.version:
                    break
            return made

    async def _read_and_write(self, scope: Scope, asked: Asked, at_ms: int) -> Assembled:
        async with self._database.read() as tx:
            project = await store.find_project(tx, scope, asked.project_id)
            if project is None:
                raise errors.PROJECT_NOT_FOUND()
            items, contexts = await states.list_unchanged(tx, scope, asked.project_id, asked.branch, at_ms)
            sizes = {kind: await states.list_changed(tx, scope, asked.project_id, at_ms, kind) for kind in _KINDS}
        changed = {entry.id: entry for entry in await self._changed(scope, asked, at_ms, sizes)}
        entries, chosen = await asyncio.to_thread(_choose, asked, items, contexts, changed)
        texts = await self._texts(scope, asked, at_ms, sizes, chosen)
        async with self._database.read() as tx:
            unchanged = [choice for choice in chosen if choice.entry.id not in changed]
            texts |= await read_texts(tx, scope, asked.project_id, unchanged)
        document, etag = await asyncio.to_thread(write, about(project, asked), entries, chosen, texts, asked.budget)
        return Assembled(document, int(project["memory_version"]), etag)

    async def _changed(self, scope: Scope, asked: Asked, at_ms: int, sizes: _Sizes) -> list[Entry]:
        """What was approved then and is another now, without the texts: they would not all have room."""
        found: list[Entry] = []
        for kind in _KINDS:
            for ids in states.in_portions(sizes[kind]):
                async with self._database.read() as tx:
                    rows = await states.list_snapshots(tx, scope, asked.project_id, at_ms, kind, ids)
                found += await asyncio.to_thread(_entries, kind, rows, asked.branch)
        return found

    async def _texts(
        self, scope: Scope, asked: Asked, at_ms: int, sizes: _Sizes, chosen: Sequence[Choice]
    ) -> dict[str, Text]:
        """The texts of then of those among the chosen that are others now."""
        found: dict[str, Text] = {}
        whole = {choice.entry.id for choice in chosen if choice.whole}
        for kind in _KINDS:
            size_of = sizes[kind]
            wanted = {one.entry.id: size_of[one.entry.id] for one in chosen if one.entry.id in size_of}
            for ids in states.in_portions(wanted):
                async with self._database.read() as tx:
                    rows = await states.list_snapshots(tx, scope, asked.project_id, at_ms, kind, ids)
                found |= await asyncio.to_thread(_read, rows, whole)
        return found


def _entries(kind: str, rows: Sequence[Row], branch: str | None) -> list[Entry]:
    made = (states.entry_of_item(row, branch) if kind == "item" else states.entry_of_context(row) for row in rows)
    return [entry for entry in made if entry is not None]


def _choose(
    asked: Asked, items: Sequence[Row], contexts: Sequence[Row], changed: Mapping[str, Entry]
) -> tuple[list[Entry], list[Choice]]:
    entries = [entry for entry in entries_of(items, contexts) if entry.id not in changed] + [*changed.values()]
    return entries, choose(entries, asked.budget)


def _read(rows: Sequence[Row], whole: Collection[str]) -> dict[str, Text]:
    return {row["id"]: states.text_of(row, None if row["id"] in whole else store.BEGINNING_CHARS) for row in rows}
