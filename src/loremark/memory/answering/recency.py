"""Puts the newer of two passages first where one reverses the other. Ids sort by creation time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import cast

from loremark.memory.answering.records import Passage
from loremark.memory.items import Item
from loremark.memory.reversals import reverses
from loremark.memory.text_parser import MAX_PARSED_CHARS
from loremark.wire.items import ItemType


def newest_first(places: Sequence[int], passages: Sequence[Passage]) -> tuple[int, ...]:
    """Return the indexes in their order, swapping two that contradict so that the newer comes first."""
    ordered = list(places)
    for first, second in combinations(range(len(ordered)), 2):
        better, worse = passages[ordered[first]], passages[ordered[second]]
        if better.item_id < worse.item_id and reverses(_item(better), _item(worse)):
            ordered[first], ordered[second] = ordered[second], ordered[first]
    return tuple(ordered)


def _item(passage: Passage) -> Item:
    return Item(
        passage.title,
        passage.content[:MAX_PARSED_CHARS],
        cast("ItemType", passage.type),
        passage.schema_key,
        passage.confidence,
        files=passage.files,
        id=passage.item_id,
    )
