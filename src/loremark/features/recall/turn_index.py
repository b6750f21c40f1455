"""The index of a project's turns, as the recall cache loads it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from loremark.base.caller import Scope
from loremark.features.index.cache import IndexChanges
from loremark.features.recall import store
from loremark.memory.ranking.entry import is_current
from loremark.storage.database import Row, Tx

_PAGE_ROWS = 5_000
_CHANGES_ROWS = 2_000


class TurnIndex:
    """Reads turns with their vectors. Turns are only ever added, get a vector, or disappear with their session."""

    async def find_version(self, tx: Tx, scope: Scope, project_id: str) -> int | None:
        return (await store.find_versions(tx, scope, project_id))[0]

    async def count_by_model(self, tx: Tx, scope: Scope, project_id: str) -> Mapping[str, int]:
        return await store.count_by_model(tx, scope, project_id)

    async def load(self, tx: Tx, scope: Scope, project_id: str, model: str) -> IndexChanges:
        rows: list[Row] = []
        while page := await store.list_entries(
            tx, scope, project_id, after=rows[-1]["turn_id"] if rows else "", take=_PAGE_ROWS
        ):
            rows += page
            if len(page) < _PAGE_ROWS:
                break
        return _changes(rows, model)

    async def load_changes(self, tx: Tx, scope: Scope, project_id: str, since: int, model: str) -> IndexChanges | None:
        if (await store.find_versions(tx, scope, project_id))[1] > since:
            return None
        rows = await store.list_changed(tx, scope, project_id, since, _CHANGES_ROWS)
        return None if len(rows) == _CHANGES_ROWS else _changes(rows, model)


def _changes(rows: Sequence[Row], model: str) -> IndexChanges:
    entries = [store.to_entry(row) for row in rows]
    vectors = {row["turn_id"]: row["vector"] for row in rows if row["model"] == model}
    return IndexChanges([entry for entry in entries if is_current(entry.terms)], vectors)
