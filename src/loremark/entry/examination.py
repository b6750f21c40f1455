"""A project's own memory, examined: what people kept, what rests on evidence, what is told twice, what is found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from loremark.base.caller import Scope
from loremark.base.redaction.redacting import redact_payload
from loremark.base.settings import Settings
from loremark.entry import engines
from loremark.entry.house import open_house
from loremark.features.items import records
from loremark.features.items import store as items
from loremark.features.projects import store as projects
from loremark.features.sessions import store as sessions
from loremark.memory import dedup
from loremark.memory.evaluation.loading import texts
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import Embedder
from loremark.storage.database import Tx

_COMPARED = 500
_ASKED = 200
_DEPTHS = (1, 5, 10)


@dataclass(frozen=True)
class Examination:
    """Figures that need no labels: people's own decisions and the evidence are the measure."""

    project: str
    items: int
    by_status: dict[str, int]
    by_type: dict[str, int]
    flags: dict[str, int]
    thrown_away: float
    """The share of all items that somebody deprecated: junk, or outdated."""
    supported: float | None
    """The share of quotes that stand in their events word for word."""
    told_twice: int
    """Items among the newest that say what another says."""
    found_by_evidence: dict[str, float]
    """How often an item is among the first when its own evidence is the question."""

    def to_table(self) -> str:
        supported = "no evidence" if self.supported is None else f"{self.supported:.3f}"
        found = (
            "  ".join(f"R@{depth} {share:.3f}" for depth, share in self.found_by_evidence.items()) or "nothing asked"
        )
        rows = [
            ("items", f"{self.items}  ({_counts(self.by_status)})"),
            ("types", _counts(self.by_type)),
            ("flags", _counts(self.flags)),
            ("thrown away", f"{self.thrown_away:.3f}"),
            ("quotes that stand in their events", supported),
            ("told twice", f"{self.told_twice} of the newest {min(self.items, _COMPARED)}"),
            ("found by their evidence", found),
        ]
        width = max(len(name) for name, _ in rows)
        return "\n".join([self.project, *(f"  {name.ljust(width)}  {words}" for name, words in rows)])


async def examine(settings: Settings, project_id: str) -> Examination:
    async with open_house(settings) as house:
        async with house.database.read() as tx:
            project = await projects.find_any_project(tx, project_id)
            if project is None:
                raise ValueError(f"there is no project {project_id}")
            scope = Scope(project["team_id"])
            rows = await items.list_in_project(tx, scope, project_id, ("approved", "draft", "deprecated"))
            known = [records.to_item(row) for row in rows]
            supported = await _supported(tx, scope, [item for item in known if item.status != "deprecated"])
        living = [item for item in known if item.status != "deprecated"][-_COMPARED:]
        embedder = engines.open_embedder(settings)
        try:
            told_twice, found = await _compare(embedder, living)
        finally:
            await embedder.close()
    statuses = Counter(item.status for item in known)
    return Examination(
        project=f"{project['name']} ({project_id})",
        items=len(known),
        by_status=dict(statuses),
        by_type=dict(Counter(item.type for item in known)),
        flags=dict(Counter(flag for item in known for flag in item.flags)),
        thrown_away=statuses["deprecated"] / len(known) if known else 0.0,
        supported=supported,
        told_twice=told_twice,
        found_by_evidence=found,
    )


async def _supported(tx: Tx, scope: Scope, known: Sequence[Item]) -> float | None:
    """Of the newest items' quotes."""
    quotes = [quote for item in known[-_ASKED:] for quote in item.evidence]
    payloads = await sessions.find_payloads(tx, scope, sorted({quote.event_id for quote in quotes}))
    said = {event_id: _said(kept) for event_id, kept in payloads.items()}
    judged = [quote.quote in said[quote.event_id] for quote in quotes if said.get(quote.event_id)]
    return sum(judged) / len(judged) if judged else None


def _said(kept: str) -> str:
    """All texts of an event without secrets; nothing where a large text lies elsewhere."""
    if '"$blob"' in kept:
        return ""
    payload, _ = redact_payload(msgspec.json.decode(kept))
    return "\n".join(texts(payload))


async def _compare(embedder: Embedder, living: Sequence[Item]) -> tuple[int, dict[str, float]]:
    if not living:
        return 0, {}
    vectors = (await embedder.embed([records.item_text(item) for item in living])).vectors
    told_twice = sum(len(group) - 1 for group in dedup.group(living, vectors))
    asked = [(number, item.evidence[0].quote) for number, item in enumerate(living) if item.evidence][-_ASKED:]
    if not asked:
        return told_twice, {}
    questions = (await embedder.embed([quote for _, quote in asked])).vectors
    return told_twice, _found(questions @ vectors.T, [number for number, _ in asked])


def _found(cosines: NDArray[np.float32], wanted: Sequence[int]) -> dict[str, float]:
    places = [int((row > row[number]).sum()) for row, number in zip(cosines, wanted, strict=True)]
    return {str(depth): sum(place < depth for place in places) / len(places) for depth in _DEPTHS}


def _counts(counted: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items())) or "none"
