"""Brain plans: what is included and left out at a given budget. Inputs that do not depend on it are cached."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from loremark.base import errors, limits
from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.assembly import project_header, read_texts, to_entries
from loremark.features.brain.request import BrainRequest
from loremark.features.brain.team_slots import TeamSlots, WaitForDisconnect
from loremark.features.history.tokens import count_tokens
from loremark.memory.brain.document import Layout, RenderedEntries, lay_out
from loremark.memory.brain.entries import LAYERS, Entry, Text
from loremark.memory.brain.header import Project
from loremark.memory.brain.selection import Choice, RankedEntries, whole_tokens
from loremark.storage.database import Database
from loremark.wire.brain import BrainPlan, PlanEntry, PlanLayer, PlanState

_MAX_BYTES = 48 * 1024 * 1024
_MAX_TEXT_BYTES = 16 * 1024 * 1024
_BASE_BYTES = 8 * 1024
"""Memory used by an empty entry: its key, project and empty containers."""
_ENTRY_BYTES = 800
"""Measured memory per brain entry."""
_CHARACTER_BYTES = 2
_Key = tuple[str, str | None]
_Layer = Literal[1, 2, 3]


@dataclass(slots=True)
class PlanInputs:
    """Everything a plan needs that does not depend on the budget, at one memory version, and texts loaded so far."""

    version: int
    project: Project
    entries: list[Entry]
    ranked: RankedEntries
    texts: dict[tuple[str, bool], Text] = field(default_factory=dict)
    """By id and whether it is the whole text or only the beginning."""
    rendered: RenderedEntries = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return _BASE_BYTES + _ENTRY_BYTES * len(self.entries) + self.text_bytes

    @property
    def text_bytes(self) -> int:
        characters = sum(len(text.content) for text in self.texts.values())
        characters += sum(len(markdown) for markdown, _ in self.rendered.values())
        return _CHARACTER_BYTES * (characters + sum(map(len, self.titles.values())))

    def clear_texts(self) -> None:
        self.texts.clear()
        self.rendered.clear()
        self.titles.clear()


class BrainPlanner:
    """Computes plans and caches their inputs, because the budget slider requests many budgets of the same memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cached: OrderedDict[_Key, PlanInputs] = OrderedDict()
        self._sizes: dict[_Key, int] = {}
        self._slots = TeamSlots()

    async def get(
        self, scope: Scope, request: BrainRequest, version: int, wait_for_disconnect: WaitForDisconnect
    ) -> BrainPlan:
        """Return the plan at this memory version or a newer one. It matches the brain of the same version.

        Requests of a slider that has moved on are dropped while they wait.
        """
        async with self._slots.acquire_while_connected(scope, wait_for_disconnect):
            return await self._compute(scope, request, version)

    async def _compute(self, scope: Scope, request: BrainRequest, version: int) -> BrainPlan:
        key = request.project_id, request.branch
        inputs = self._cached.pop(key, None)
        self._sizes.pop(key, None)
        if inputs is None or inputs.version < version:
            inputs = await self._read(scope, request)
        plan = await self._plan(scope, request, inputs)
        self._cache(key, inputs)
        return plan

    async def _read(self, scope: Scope, request: BrainRequest) -> PlanInputs:
        async with self._database.read() as tx:
            project = await store.find_project(tx, scope, request.project_id)
            if project is None:
                raise errors.PROJECT_NOT_FOUND()
            items = await store.list_items(tx, scope, request.project_id, request.branch)
            contexts = await store.list_contexts(tx, scope, request.project_id)

        def order() -> PlanInputs:
            entries = to_entries(items, contexts)
            return PlanInputs(
                int(project["memory_version"]), project_header(project, request), entries, RankedEntries(entries)
            )

        return await asyncio.to_thread(order)

    async def _plan(self, scope: Scope, request: BrainRequest, inputs: PlanInputs) -> BrainPlan:
        chosen = await asyncio.to_thread(inputs.ranked.select, request.budget)
        new = [choice for choice in chosen if (choice.entry.id, choice.whole) not in inputs.texts]
        if new:
            async with self._database.read() as tx:
                found = await read_texts(tx, scope, request.project_id, new)
            for choice in new:
                if choice.entry.id in found:
                    inputs.texts[choice.entry.id, choice.whole] = found[choice.entry.id]
        layout, left_out = await asyncio.to_thread(_lay_out, inputs, chosen, request.budget)
        listed = left_out[: max(0, limits.LIST_ENTRIES - len(layout.parts))]
        unknown = [entry.id for entry in listed if entry.id not in inputs.titles]
        if unknown:
            async with self._database.read() as tx:
                inputs.titles |= await store.list_titles(tx, scope, request.project_id, unknown)
        return _shape(request, layout, listed, inputs.titles, len(inputs.entries))

    def _cache(self, key: _Key, inputs: PlanInputs) -> None:
        if inputs.text_bytes > _MAX_TEXT_BYTES:
            inputs.clear_texts()
        self._cached[key] = inputs
        self._sizes[key] = inputs.size
        while sum(self._sizes.values()) > _MAX_BYTES:
            del self._sizes[self._cached.popitem(last=False)[0]]


def _lay_out(inputs: PlanInputs, chosen: Sequence[Choice], budget: int) -> tuple[Layout, list[Entry]]:
    """Lay out the document and return it with the entries left out, highest priority first."""
    pairs = ((choice, inputs.texts.get((choice.entry.id, choice.whole))) for choice in chosen)
    available = [(choice, text) for choice, text in pairs if text is not None]
    layout = lay_out(inputs.project, inputs.entries, available, budget, count_tokens, inputs.rendered)
    taken = {part.entry.id for part in layout.parts}
    return layout, [entry for entry in inputs.ranked.order(budget) if entry.id not in taken]


def _shape(
    request: BrainRequest, layout: Layout, left_out: Sequence[Entry], titles: dict[str, str], known: int
) -> BrainPlan:
    entries = [
        _entry(part.entry, part.title, part.tokens, "shortened" if part.shortened else "full")
        for part in layout.parts[: limits.LIST_ENTRIES]
    ]
    entries += [_entry(entry, titles.get(entry.id, ""), whole_tokens(entry), "omitted") for entry in left_out]
    return BrainPlan(
        budget=request.budget,
        token_estimate=layout.document.tokens,
        layers=_layers(layout),
        entries=entries,
        remaining=known - len(entries),
    )


def _entry(entry: Entry, title: str, tokens: int, state: PlanState) -> PlanEntry:
    return PlanEntry(
        id=entry.id,
        kind=entry.kind,
        title=title,
        type=entry.type,
        schema_key=entry.schema_key,
        layer=cast(_Layer, entry.tier),
        tokens=tokens,
        state=state,
        flags=list(entry.flags),
    )


def _layers(layout: Layout) -> list[PlanLayer]:
    """Return the layers. Their tokens add up to the document's."""
    included = Counter(part.entry.tier for part in layout.parts)
    shortened = Counter(part.entry.tier for part in layout.parts if part.shortened)
    tokens = Counter(layout.headings)
    for part in layout.parts:
        tokens[part.entry.tier] += part.tokens
    omitted = layout.document.omitted
    head = PlanLayer(layer=0, tokens=layout.document.tokens - tokens.total(), included=0, shortened=0, omitted=0)
    return [
        head,
        *(
            PlanLayer(
                layer=cast(_Layer, layer),
                tokens=tokens[layer],
                included=included[layer],
                shortened=shortened[layer],
                omitted=omitted[layer],
            )
            for layer in LAYERS
        ),
    ]
