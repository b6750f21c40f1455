"""``loremark eval --project``: quality figures of a project's own memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.base.caller import Scope
from loremark.base.redaction.redactor import redact_payload
from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.entry.runtime import open_runtime
from loremark.features.items import records
from loremark.features.items import store as items
from loremark.features.projects import store as projects
from loremark.features.sessions import store as sessions
from loremark.memory import dedup
from loremark.memory.evaluation.labeled_sets import texts
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import Embedder
from loremark.storage.database import Tx

_MAX_COMPARED = 500
_MAX_QUERIES = 200
_DEPTHS = (1, 5, 10)


@dataclass(frozen=True)
class ProjectEvaluation:
    """Figures that need no labels; they are based on review decisions and evidence."""

    project: str
    items: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    flags: dict[str, int]
    deprecated_share: float
    """Share of items that were deprecated."""
    supported: float | None
    """Share of evidence quotes found verbatim in their events."""
    duplicates: int
    """Duplicates among the newest items."""
    found_by_evidence: dict[str, float]
    """How often an item ranks at the top when its own evidence is the query."""

    def to_table(self) -> str:
        supported = "no evidence" if self.supported is None else f"{self.supported:.3f}"
        found = "  ".join(f"R@{depth} {share:.3f}" for depth, share in self.found_by_evidence.items()) or "not measured"
        rows = [
            ("items", f"{self.items}  ({_counts(self.by_status)})"),
            ("types", _counts(self.by_type)),
            ("flags", _counts(self.flags)),
            ("deprecated", f"{self.deprecated_share:.3f}"),
            ("quotes found in events", supported),
            ("duplicates", f"{self.duplicates} of the newest {min(self.items, _MAX_COMPARED)}"),
            ("found by their own evidence", found),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.project, *(f"  {name.ljust(width)}  {value}" for name, value in rows)])


async def evaluate_project(settings: Settings, project_id: str) -> ProjectEvaluation:
    async with open_runtime(settings) as runtime:
        async with runtime.database.read() as tx:
            project = await projects.find_any_project(tx, project_id)
            if project is None:
                raise ValueError(f"no project {project_id}")
            scope = Scope(project["team_id"])
            rows = await items.list_in_project(tx, scope, project_id, ("approved", "draft", "deprecated"))
            known = [records.to_item(row) for row in rows]
            supported = await _supported(tx, scope, [item for item in known if item.status != "deprecated"])
        active_items = [item for item in known if item.status != "deprecated"][-_MAX_COMPARED:]
        embedder = engines.open_embedder(settings)
        try:
            told_twice, found = await _compare(embedder, active_items)
        finally:
            await embedder.close()
    statuses = Counter(item.status for item in known)
    return ProjectEvaluation(
        project=f"{project['name']} ({project_id})",
        items=len(known),
        by_status=dict(statuses),
        by_type=dict(Counter(item.type for item in known)),
        flags=dict(Counter(flag for item in known for flag in item.flags)),
        deprecated_share=statuses["deprecated"] / len(known) if known else 0.0,
        supported=supported,
        duplicates=told_twice,
        found_by_evidence=found,
    )


async def _supported(tx: Tx, scope: Scope, known: Sequence[Item]) -> float | None:
    """Share of the newest items' quotes found in their events."""
    quotes = [quote for item in known[-_MAX_QUERIES:] for quote in item.evidence]
    payloads = await sessions.find_payloads(tx, scope, sorted({quote.event_id for quote in quotes}))
    texts_by_event = {event_id: _event_text(stored) for event_id, stored in payloads.items()}
    judged = [quote.quote in texts_by_event[quote.event_id] for quote in quotes if texts_by_event.get(quote.event_id)]
    return sum(judged) / len(judged) if judged else None


def _event_text(stored: str) -> str:
    """All text of an event, redacted; empty if a large text is stored as a blob."""
    if '"$blob"' in stored:
        return ""
    payload, _ = redact_payload(msgspec.json.decode(stored))
    return "\n".join(texts(payload))


async def _compare(embedder: Embedder, active_items: Sequence[Item]) -> tuple[int, dict[str, float]]:
    if not active_items:
        return 0, {}
    vectors = (await embedder.embed([records.item_text(item) for item in active_items])).vectors
    told_twice = sum(len(group) - 1 for group in dedup.cluster_items(active_items, vectors))
    queries = [(number, item.evidence[0].quote) for number, item in enumerate(active_items) if item.evidence][
        -_MAX_QUERIES:
    ]
    if not queries:
        return told_twice, {}
    questions = (await embedder.embed([quote for _, quote in queries])).vectors
    return told_twice, _recall(questions @ vectors.T, [number for number, _ in queries])


def _recall(cosines: NDArray[np.float32], wanted: Sequence[int]) -> dict[str, float]:
    ranks = [int((row > row[number]).sum()) for row, number in zip(cosines, wanted, strict=True)]
    return {str(depth): sum(rank < depth for rank in ranks) / len(ranks) for depth in _DEPTHS}


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items())) or "none"
