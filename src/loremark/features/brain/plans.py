"""Plans of brains: for any budget, what enters the document and what falls out; what no budget changes is kept."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, cast

from loremark.base import errors, limits
from loremark.base.caller import Scope
from loremark.features.brain import store
from loremark.features.brain.asked import Asked
from loremark.features.brain.assembly import about, entries_of, read_texts
from loremark.features.brain.places import Gone, Places
from loremark.features.history.tokens import count_tokens
from loremark.memory.brain.document import Layout, Wholes, lay_out
from loremark.memory.brain.entries import LAYERS, Entry, Text
from loremark.memory.brain.head import Project
from loremark.memory.brain.planning import Choice, Wanted, whole_tokens
from loremark.storage.database import Database
from loremark.wire.brain import BrainPlan, PlanEntry, PlanLayer

_MOST_BYTES = 48 * 1024 * 1024
_MOST_OF_TEXTS = 16 * 1024 * 1024
_GROUND_BYTES = 8 * 1024
"""What one takes though nothing is remembered: its key, its project, its empty tables."""
_ENTRY_BYTES = 800
"""What an entry takes with its columns and its place in the order, as measured."""
_CHARACTER_BYTES = 2
_Key = tuple[str, str | None]
_Layer = Literal[1, 2, 3]


@dataclass(slots=True)
class Ground:
    """A memory at a version: all of a plan that no budget changes, and the texts that were needed so far."""

    version: int
    project: Project
    entries: list[Entry]
    wanted: Wanted
    texts: dict[tuple[str, bool], Text] = field(default_factory=dict)
    """By id, and whether it is the whole text or only its beginning."""
    wholes: Wholes = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return _GROUND_BYTES + _ENTRY_BYTES * len(self.entries) + self.size_of_texts

    @property
    def size_of_texts(self) -> int:
        characters = sum(len(text.content) for text in self.texts.values())
        characters += sum(len(markdown) for markdown, _ in self.wholes.values())
        return _CHARACTER_BYTES * (characters + sum(map(len, self.titles.values())))

    def forget_texts(self) -> None:
        self.texts.clear()
        self.wholes.clear()
        self.titles.clear()


class Plans:
    """The plans of a process: a slider asks for one budget after another of the same memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._grounds: OrderedDict[_Key, Ground] = OrderedDict()
        self._sizes: dict[_Key, int] = {}
        self._places = Places()

    async def get(self, scope: Scope, asked: Asked, version: int, gone: Gone) -> BrainPlan:
        """The plan at the version just seen, or a newer one. It agrees with the brain of the same version.

        A slider is further on before its last question had its turn.
        """
        async with self._places.place_while(scope, gone):
            return await self._make(scope, asked, version)

    async def _make(self, scope: Scope, asked: Asked, version: int) -> BrainPlan:
        key = asked.project_id, asked.branch
        ground = self._grounds.pop(key, None)
        self._sizes.pop(key, None)
        if ground is None or ground.version < version:
            ground = await self._read(scope, asked)
        made = await self._plan(scope, asked, ground)
        self._keep(key, ground)
        return made

    async def _read(self, scope: Scope, asked: Asked) -> Ground:
        async with self._database.read() as tx:
            project = await store.find_project(tx, scope, asked.project_id)
            if project is None:
                raise errors.PROJECT_NOT_FOUND()
            items = await store.list_items(tx, scope, asked.project_id, asked.branch)
            contexts = await store.list_contexts(tx, scope, asked.project_id)

        def order() -> Ground:
            entries = entries_of(items, contexts)
            return Ground(int(project["memory_version"]), about(project, asked), entries, Wanted(entries))

        return await asyncio.to_thread(order)

    async def _plan(self, scope: Scope, asked: Asked, ground: Ground) -> BrainPlan:
        chosen = await asyncio.to_thread(ground.wanted.choose, asked.budget)
        new = [choice for choice in chosen if (choice.entry.id, choice.whole) not in ground.texts]
        if new:
            async with self._database.read() as tx:
                found = await read_texts(tx, scope, asked.project_id, new)
            for choice in new:
                if choice.entry.id in found:
                    ground.texts[choice.entry.id, choice.whole] = found[choice.entry.id]
        layout, out = await asyncio.to_thread(_lay_out, ground, chosen, asked.budget)
        listed = out[: max(0, limits.LIST_ENTRIES - len(layout.parts))]
        unknown = [entry.id for entry in listed if entry.id not in ground.titles]
        if unknown:
            async with self._database.read() as tx:
                ground.titles |= await store.list_titles(tx, scope, asked.project_id, unknown)
        return _shape(asked, layout, listed, ground.titles, len(ground.entries))

    def _keep(self, key: _Key, ground: Ground) -> None:
        if ground.size_of_texts > _MOST_OF_TEXTS:
            ground.forget_texts()
        self._grounds[key] = ground
        self._sizes[key] = ground.size
        while sum(self._sizes.values()) > _MOST_BYTES:
            del self._sizes[self._grounds.popitem(last=False)[0]]


def _lay_out(ground: Ground, chosen: Sequence[Choice], budget: int) -> tuple[Layout, list[Entry]]:
    """The document of the budget, and what is not in it, the most wanted first."""
    pairs = ((choice, ground.texts.get((choice.entry.id, choice.whole))) for choice in chosen)
    told = [(choice, text) for choice, text in pairs if text is not None]
    layout = lay_out(ground.project, ground.entries, told, budget, count_tokens, ground.wholes)
    taken = {part.entry.id for part in layout.parts}
    return layout, [entry for entry in ground.wanted.order(budget) if entry.id not in taken]


def _shape(asked: Asked, layout: Layout, out: Sequence[Entry], titles: dict[str, str], known: int) -> BrainPlan:
    entries = [
        _entry(part.entry, part.title, part.tokens, "shortened" if part.shortened else "whole")
        for part in layout.parts[: limits.LIST_ENTRIES]
    ]
    entries += [_entry(entry, titles.get(entry.id, ""), whole_tokens(entry), "left_out") for entry in out]
    return BrainPlan(
        budget=asked.budget,
        token_estimate=layout.document.tokens,
        layers=_layers(layout),
        entries=entries,
        more=known - len(entries),
    )


def _entry(entry: Entry, title: str, tokens: int, state: Literal["whole", "shortened", "left_out"]) -> PlanEntry:
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
    """Their tokens add up to those of the document."""
    taken = Counter(part.entry.tier for part in layout.parts)
    shortened = Counter(part.entry.tier for part in layout.parts if part.shortened)
    tokens = Counter(layout.headings)
    for part in layout.parts:
        tokens[part.entry.tier] += part.tokens
    omitted = layout.document.omitted
    head = PlanLayer(layer=0, tokens=layout.document.tokens - tokens.total(), taken=0, shortened=0, left_out=0)
    return [
        head,
        *(
            PlanLayer(
                layer=cast(_Layer, layer),
                tokens=tokens[layer],
                taken=taken[layer],
                shortened=shortened[layer],
                left_out=omitted[layer],
            )
            for layer in LAYERS
        ),
    ]
