"""What memory already says about a session's subjects, to show it to the model that reads the session."""

from __future__ import annotations

from collections.abc import Sequence

from loremark.base import clock
from loremark.base.caller import Scope
from loremark.features.enrichment.vector_index import VectorIndex
from loremark.features.items import records
from loremark.features.items import service as items
from loremark.memory.briefing.relevance import DRAFT_CONFIDENCE
from loremark.memory.items import Item
from loremark.memory.reading.prompt import KnownItem
from loremark.memory.reading.transcript import Passage
from loremark.ports.embeddings.embedder import Embedder, EmbedderFailed
from loremark.storage.database import Database, Row, Tx

_PASSAGES = 24
_PASSAGE_CHARS = 800
_AT_ONCE = 4
_NEAREST = 4
_SHOWN = 16
_MIN_COSINE = 0.35


async def find_known_items(
    database: Database, embedder: Embedder, scope: Scope, project_id: str, passages: Sequence[Passage]
) -> list[KnownItem]:
    """Return the current items nearest to what was said, nearest first. Without an embedder there are none."""
    async with database.read() as tx:
        index = VectorIndex(scope, project_id, embedder.name)
        await index.refresh(tx)
    if len(index) == 0:
        return []
    texts = [passage.text[:_PASSAGE_CHARS] for passage in _telling(passages)]
    best: dict[str, float] = {}
    try:
        for start in range(0, len(texts), _AT_ONCE):
            for nearest in index.nearest((await embedder.embed(texts[start : start + _AT_ONCE])).vectors, _NEAREST):
                for item_id, cosine in nearest:
                    best[item_id] = max(cosine, best.get(item_id, 0.0))
    except EmbedderFailed:
        return []
    near = sorted((item_id for item_id, cosine in best.items() if cosine >= _MIN_COSINE), key=lambda one: -best[one])
    async with database.read() as tx:
        rows = {row["id"]: row for row in await items.list_by_ids(tx, scope, near[: 2 * _SHOWN])}
    current = [rows[item_id] for item_id in near if item_id in rows and _is_current(rows[item_id])]
    return [to_known(row) for row in current[:_SHOWN]]


async def list_known_items(tx: Tx, scope: Scope, item_ids: Sequence[str]) -> list[KnownItem]:
    """Return the items that a model was shown, in that order, as they are now."""
    rows = {row["id"]: row for row in await items.list_by_ids(tx, scope, item_ids)}
    return [to_known(rows[item_id]) for item_id in item_ids if item_id in rows]


def to_known(row: Row) -> KnownItem:
    item = records.to_item(row)
    return KnownItem(
        item.id, item.type, item.title, item.content, _is_reviewed(item), clock.iso(row["created_at_ms"])[:10]
    )


def _telling(passages: Sequence[Passage]) -> list[Passage]:
    """The passages that tell what a session is about: what people said, then the rest, the latest first."""
    said = [passage for passage in passages if passage.speaker != "tools"]
    return sorted(said, key=lambda one: (one.speaker not in ("person", "commit", "saved"), -one.number))[:_PASSAGES]


def _is_reviewed(item: Item) -> bool:
    return item.status == "approved" and item.reviewed


def _is_current(row: Row) -> bool:
    if row["superseded_by"] is not None or row["status"] == "deprecated":
        return False
    return row["status"] == "approved" or float(row["confidence"]) >= DRAFT_CONFIDENCE
