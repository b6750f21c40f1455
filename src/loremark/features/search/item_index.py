"""The index of a project's items, as the search cache loads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from loremark.base.caller import Scope
from loremark.features.index import store as index
from loremark.features.index import vectors
from loremark.features.index.cache import IndexChanges
from loremark.features.items.records import to_entry, to_item
from loremark.features.items.service import list_by_ids
from loremark.memory.ranking.entry import Entry, is_current
from loremark.storage.database import Row, Tx

_PAGE_ROWS = 5_000
_CHANGES_ROWS = 2_000


class ItemIndex:
    """Reads approved and draft items with their vectors."""

    async def find_version(self, tx: Tx, scope: Scope, project_id: str) -> int | None:
        return await index.find_version(tx, scope, project_id)

    async def count_by_model(self, tx: Tx, scope: Scope, project_id: str) -> Mapping[str, int]:
        return await vectors.count_by_model(tx, scope, project_id)

    async def load(self, tx: Tx, scope: Scope, project_id: str, model: str) -> IndexChanges:
        entries = await _with_current_terms(tx, scope, await _all_entries(tx, scope, project_id))
        return IndexChanges(entries, await _all_vectors(tx, scope, project_id, model))

    async def load_changes(self, tx: Tx, scope: Scope, project_id: str, since: int, model: str) -> IndexChanges | None:
        rows = await index.list_changed(tx, scope, project_id, since, _CHANGES_ROWS)
        if not rows or len(rows) == _CHANGES_ROWS:
            return None  # too many changes, or the model has changed
        entries, removed = _split_searchable(rows)
        entries = await _with_current_terms(tx, scope, entries)
        found = await vectors.find_vectors(tx, scope, project_id, model, [entry.item_id for entry in entries])
        return IndexChanges(entries, found, removed)


async def _with_current_terms(tx: Tx, scope: Scope, entries: list[Entry]) -> list[Entry]:
    """Rebuild entries whose terms have an older format or are corrupt, and drop those that cannot be rebuilt."""
    outdated = [entry.item_id for entry in entries if not is_current(entry.terms)]
    if not outdated:
        return entries
    updated: dict[str, Entry] = {}
    for start in range(0, len(outdated), _CHANGES_ROWS):
        for row in await list_by_ids(tx, scope, outdated[start : start + _CHANGES_ROWS]):
            merged = row["merged_at_ms"] is not None
            updated[row["id"]] = to_entry(to_item(row), row["session_id"], row["created_at_ms"], merged=merged)
    current = (updated.get(entry.item_id, entry) for entry in entries)
    return [entry for entry in current if is_current(entry.terms)]


async def _all_entries(tx: Tx, scope: Scope, project_id: str) -> list[Entry]:
    entries: list[Entry] = []
    while rows := await index.list_entries(
        tx, scope, project_id, after=entries[-1].item_id if entries else "", take=_PAGE_ROWS
    ):
        entries += map(index.to_entry, rows)
        if len(rows) < _PAGE_ROWS:
            break
    return entries


async def _all_vectors(tx: Tx, scope: Scope, project_id: str, model: str) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    after = ""
    while page := await vectors.list_vectors(tx, scope, project_id, model, after=after, take=_PAGE_ROWS):
        found.update((row["item_id"], row["vector"]) for row in page)
        after = page[-1]["item_id"]
        if len(page) < _PAGE_ROWS:
            break
    return found


def _split_searchable(rows: Iterable[Row]) -> tuple[list[Entry], list[str]]:
    entries = [index.to_entry(row) for row in rows]
    ranked = [entry for entry in entries if entry.status in index.SEARCHABLE]
    return ranked, [entry.item_id for entry in entries if entry.status not in index.SEARCHABLE]
