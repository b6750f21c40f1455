"""Analysing a memory: what is needed is read, looked at with no transaction open, and the plan is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from loremark.base import limits, log
from loremark.base.caller import Caller
from loremark.base.plans import Plans
from loremark.features.enrichment import ground, origins
from loremark.features.hygiene import records, store
from loremark.features.hygiene.asking import look_again
from loremark.features.identity import store as people
from loremark.features.index import vectors
from loremark.features.items import records as item_records
from loremark.features.metering.service import TeamMeter
from loremark.features.projects.access import Right, get_project
from loremark.features.sessions.service import Models
from loremark.jobs.notices import tell_changed
from loremark.memory import judgement
from loremark.memory.hygiene.analysis import analyze
from loremark.memory.hygiene.proposals import Seen
from loremark.memory.items import Item
from loremark.ports.embeddings.compact import unpack
from loremark.ports.embeddings.embedder import EmbedderFailed
from loremark.ports.embeddings.embedders import Embedders
from loremark.ports.llm.model import LanguageModel
from loremark.storage.database import Database, Row, Tx
from loremark.wire.hygiene import HygieneMode, HygienePlan

_log = log.logger("hygiene")
_TAKE: dict[HygieneMode, int] = {"quick": limits.HYGIENE_QUICK_ITEMS, "weekly": limits.HYGIENE_WEEKLY_ITEMS}
_AT_ONCE = 2


@dataclass(frozen=True)
class _Read:
    seen: list[Seen]
    versions: dict[str, int]
    vectors: dict[str, bytes]


class Cleaner:
    """One for a process; few memories are looked at in it at a time, each with no transaction open."""

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
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def look(self, caller: Caller, project_id: str, mode: HygieneMode) -> HygienePlan:
        """A plan of what could be done with the newest living items of a project."""
        async with self._database.read() as tx:
            project = await get_project(tx, caller, project_id, Right.WRITE)
            plan = self._plans.get((await people.get_team(tx, caller.team_id))["plan"])
        meter = TeamMeter(self._database, caller.scope, plan, project_id)
        model = self._models.get(self._names.name_for(plan, project["ai_tier"]))
        notes: list[str] = []
        async with self._turns:
            async with self._database.read() as tx:
                read = await self._read(tx, caller, project_id, _TAKE[mode])
            rows = await self._vectors(read)
            judged = self._embedders.current.name in judgement.EMBEDDERS
            found = await asyncio.to_thread(analyze, read.seen, rows, judged_by_vector=judged)
            if model is not None:
                found, notes = await look_again(found, {each.item.id: each.item for each in read.seen}, model, meter)
        actions = [records.keep(proposal) for proposal in found]
        concerned = {item_id for action in actions for item_id in records.concerned(action)}
        async with self._database.write() as tx:
            await get_project(tx, caller, project_id, Right.WRITE)
            kept = await store.create_plan(
                tx,
                caller.scope,
                project_id,
                mode=mode,
                actions=actions,
                versions={item_id: read.versions[item_id] for item_id in sorted(concerned)},
                items_analyzed=len(read.seen),
            )
            tell_changed(tx, caller.scope, "hygiene", project_id)
            await meter.charge(tx)
        return records.shape(kept, notes)

    async def _read(self, tx: Tx, caller: Caller, project_id: str, take: int) -> _Read:
        rows = await store.list_newest(tx, caller.scope, project_id, take)
        found = await origins.to_items(tx, caller.scope, rows)
        paths = sorted({path for item in found.values() if "stale" in item.flags for path in item.files})
        known = await ground.find_files(tx, caller.scope, project_id, paths) if paths else {}
        gone = {path for path, row in known.items() if row["deleted"]}
        item_ids = list(found)
        kept: dict[str, bytes] = {}
        if item_ids:
            model = self._embedders.current.name
            kept = await vectors.find_vectors(tx, caller.scope, project_id, model, item_ids)
        return _Read(
            [_seen(row, found[row["id"]], gone) for row in rows],
            {row["id"]: row["version"] for row in rows},
            kept,
        )

    async def _vectors(self, read: _Read) -> NDArray[np.float32] | None:
        """A row for each item; what has no vector yet is embedded for this look. None without an embedder."""
        missing = [each.item for each in read.seen if each.item.id not in read.vectors]
        rows = dict(zip(read.vectors, unpack(list(read.vectors.values())), strict=True))
        if missing:
            try:
                texts = [item_records.item_text(item) for item in missing]
                made = await self._embedders.current.embed(texts)
            except EmbedderFailed as failure:
                _log.warning("a memory is looked at without vectors", error=str(failure))
                return None
            rows |= dict(zip([item.id for item in missing], made.vectors, strict=True))
        return _stacked([rows[each.item.id] for each in read.seen])


def _stacked(rows: Sequence[NDArray[np.float32]]) -> NDArray[np.float32] | None:
    return np.stack(rows) if rows else None


def _seen(row: Row, item: Item, gone: set[str]) -> Seen:
    return Seen(
        item,
        branch=None if row["merged_at_ms"] is not None else row["branch"],
        superseded_by=row["superseded_by"],
        gone=tuple(path for path in item.files if path in gone),
    )
