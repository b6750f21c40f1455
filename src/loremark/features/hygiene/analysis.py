"""Analyzing a project's memory and storing the resulting plan."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.base import clock, limits, log
from loremark.base.caller import Caller
from loremark.base.plans import Plans
from loremark.features.briefing.usage import Usage, find_usage
from loremark.features.enrichment import origins, repository_state
from loremark.features.hygiene import records, store
from loremark.features.hygiene.model_review import review_proposals
from loremark.features.identity import store as people
from loremark.features.index import vectors
from loremark.features.items import records as item_records
from loremark.features.metering.service import TeamMeter
from loremark.features.projects.access import Access, get_project
from loremark.features.sessions.service import Models
from loremark.jobs.notices import notify_changed
from loremark.memory import item_classifier
from loremark.memory.hygiene.analysis import analyze
from loremark.memory.hygiene.proposals import HygieneItem
from loremark.memory.items import Item
from loremark.ports.embeddings.embedder import EmbedderFailed
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.embeddings.vector_packing import unpack
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx
from loremark.wire.hygiene import HygieneMode, HygienePlan

_log = log.logger("hygiene")
_MAX_ITEMS: dict[HygieneMode, int] = {"quick": limits.HYGIENE_QUICK_ITEMS, "weekly": limits.HYGIENE_WEEKLY_ITEMS}
_CONCURRENT = 2
_USAGE_MS = 60 * clock.DAY_MS
"""The time in which an item must have been used."""


@dataclass(frozen=True)
class _Memory:
    items: list[HygieneItem]
    versions: dict[str, int]
    vectors: dict[str, bytes]


class HygieneAnalyzer:
    """Analyzes a few memories at a time per process, with no transaction open during the analysis."""

    def __init__(
        self,
        database: Database,
        embedders: Embedders,
        plans: Plans,
        names: Models,
        models: Mapping[str, LanguageModel],
    ) -> None:
        self._database = database
        self._embedders = embedders
        self._plans = plans
        self._names = names
        self._models = models
        self._slots = asyncio.Semaphore(_CONCURRENT)

    async def analyze(self, caller: Caller, project_id: str, mode: HygieneMode) -> HygienePlan:
        """Create a plan of cleanup actions for a project's newest active items."""
        async with self._database.read() as tx:
            project = await get_project(tx, caller, project_id, Access.WRITE)
            plan = self._plans.get((await people.get_team(tx, caller.team_id))["plan"])
        meter = TeamMeter(self._database, caller.scope, plan, project_id)
        model = self._models.get(self._names.name_for(plan, project["ai_tier"]))
        notes: list[str] = []
        async with self._slots:
            async with self._database.read() as tx:
                memory = await self._load(tx, caller, project_id, _MAX_ITEMS[mode])
            rows = await self._vectors(memory)
            uses_classifier = self._embedders.current.name in item_classifier.SUPPORTED_EMBEDDERS
            proposals = await asyncio.to_thread(analyze, memory.items, rows, judged_by_vector=uses_classifier)
            if model is not None:
                proposals, notes = await review_proposals(
                    proposals, {each.item.id: each.item for each in memory.items}, model, meter
                )
        actions = [records.to_action(proposal) for proposal in proposals]
        affected = {item_id for action in actions for item_id in records.affected_items(action)}
        async with self._database.write() as tx:
            await get_project(tx, caller, project_id, Access.WRITE)
            stored = await store.create_plan(
                tx,
                caller.scope,
                project_id,
                mode=mode,
                actions=actions,
                versions={item_id: memory.versions[item_id] for item_id in sorted(affected)},
                items_analyzed=len(memory.items),
            )
            notify_changed(tx, caller.scope, "hygiene", project_id)
            await meter.charge(tx)
        return records.shape(stored, notes)

    async def _load(self, tx: Tx, caller: Caller, project_id: str, take: int) -> _Memory:
        rows = await store.list_newest(tx, caller.scope, project_id, take)
        loaded = await origins.load_items(tx, caller.scope, rows)
        paths = sorted({path for item in loaded.values() if "stale" in item.flags for path in item.files})
        known = await repository_state.find_file_states(tx, caller.scope, project_id, paths) if paths else {}
        deleted = {path for path, row in known.items() if row["deleted"]}
        item_ids = list(loaded)
        usage = await find_usage(tx, caller.scope, project_id, item_ids, clock.now_ms() - _USAGE_MS)
        stored: dict[str, bytes] = {}
        if item_ids:
            model = self._embedders.current.name
            stored = await vectors.find_vectors(tx, caller.scope, project_id, model, item_ids)
        return _Memory(
            [_to_hygiene_item(row, loaded[row["id"]], deleted, usage.get(row["id"], Usage())) for row in rows],
            {row["id"]: row["version"] for row in rows},
            stored,
        )

    async def _vectors(self, memory: _Memory) -> NDArray[np.float32] | None:
        """Return one vector per item, embedding items without one. Returns None if the embedder fails."""
        missing = [each.item for each in memory.items if each.item.id not in memory.vectors]
        rows = dict(zip(memory.vectors, unpack(list(memory.vectors.values())), strict=True))
        if missing:
            try:
                texts = [item_records.item_text(item) for item in missing]
                embedded = await self._embedders.current.embed(texts)
            except EmbedderFailed as failure:
                _log.warning("embedder failed, analyzing memory without vectors", error=str(failure))
                return None
            rows |= dict(zip([item.id for item in missing], embedded.vectors, strict=True))
        return _stacked([rows[each.item.id] for each in memory.items])


def _stacked(rows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32] | None:
    return np.stack(rows) if rows else None


def _to_hygiene_item(row: Row, item: Item, deleted: set[str], usage: Usage) -> HygieneItem:
    return HygieneItem(
        item,
        branch=None if row["merged_at_ms"] is not None else row["branch"],
        superseded_by=row["superseded_by"],
        deleted_files=tuple(path for path in item.files if path in deleted),
        served=usage.served,
        used=usage.used + usage.corrected,
    )
